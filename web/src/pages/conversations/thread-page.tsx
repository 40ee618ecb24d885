import type { ConversationDetail } from '@chowk/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan, useMe } from '../../api/use-api.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { customerName } from '../../people/customer-name.ts';
import type { Search } from '../../routing/search-params.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ColleaguesLine, useColleagues } from './colleagues.tsx';
import { useConversationActions } from './conversation-actions.ts';
import { CustomerPane } from './customer-pane.tsx';
import { useMarkRead } from './mark-read.ts';
import { MessageList } from './message-list.tsx';
import { focusReply, ReplyBox } from './reply-box.tsx';
import { ThreadHeader } from './thread-header.tsx';

/** One conversation and, if there is room or the user asks for it, its customer. */
export function ThreadPage() {
  const { id } = useParams({ from: '/shell/conversations/$id' });
  const search: Search = useSearch({ from: '/shell/conversations' });
  const navigate = useNavigate();
  const { data, error } = useApi(keys.conversations.detail(id), (client) => client.conversations.get({ id }));
  const { pane: _, ...listed } = search;
  const close = () => void navigate({ to: '/conversations', search: listed });
  useKeys([{ key: 'Escape', label: 'Back to the list', run: close }]);
  if (error && !data) {
    return (
      <div className="grid content-center">
        <EmptyState
          icon={MessagesSquare}
          title="This conversation cannot be shown"
          action={<Button onClick={close}>Back to the list</Button>}
        >
          <ReadError error={error} />
        </EmptyState>
      </div>
    );
  }
  if (!data) return <Loading />;
  return <Thread key={id} conversation={data.conversation} search={search} onClose={close} />;
}

interface ThreadProps {
  readonly conversation: ConversationDetail;
  readonly search: Search;
  readonly onClose: () => void;
}

function Thread({ conversation, search, onClose }: ThreadProps) {
  const can = useCan();
  const navigate = useNavigate();
  const me = useMe().data;
  const actions = useConversationActions(conversation);
  const isShowingCustomer = search.pane === 'customer';
  const colleagues = useColleagues(conversation.id, customerName(conversation.customer));
  useMarkRead(conversation);
  useKeys([
    ...(can('conversations.reply') ? [{ key: 'r', label: 'Reply', run: focusReply }] : []),
    ...(can('conversations.assign') && me
      ? [{ key: 'a', label: 'Assign to me', run: () => actions.assign(me.id, 'you') }]
      : []),
    ...(can('conversations.close')
      ? [{ key: 'c', label: 'Close the conversation', run: () => actions.setStatus('closed') }]
      : []),
  ]);
  return (
    <div className="grid min-h-0 min-w-0 grid-rows-1 min-[85rem]:grid-cols-[minmax(0,1fr)_19rem]">
      <title>{`${customerName(conversation.customer)} · Chowk`}</title>
      <div className="flex min-h-0 min-w-0 flex-col">
        <ThreadHeader
          conversation={conversation}
          isShowingCustomer={isShowingCustomer}
          onShowCustomer={() =>
            void navigate({ to: '.', search: { ...search, pane: isShowingCustomer ? undefined : 'customer' } })
          }
          onClose={onClose}
        />
        {isShowingCustomer && (
          <div className="min-h-0 flex-1 overflow-y-auto min-[85rem]:hidden">
            <CustomerPane conversation={conversation} />
          </div>
        )}
        <div className={`flex min-h-0 flex-1 flex-col ${isShowingCustomer ? 'max-[85rem]:hidden' : ''}`}>
          <MessageList conversation={conversation} />
          <ColleaguesLine {...colleagues} />
          {can('conversations.reply') && (
            <ReplyBox conversation={conversation} isWatched={colleagues.present.length > 0} />
          )}
        </div>
      </div>
      <aside aria-label="Customer" className="min-h-0 overflow-y-auto border-l border-line max-[85rem]:hidden">
        <CustomerPane conversation={conversation} />
      </aside>
    </div>
  );
}

function Loading() {
  return (
    <div role="status" className="grid content-start gap-6 p-6">
      <span className="sr-only">Loading…</span>
      <Skeleton className="h-6 w-48" />
      <Skeleton className="h-16 w-2/3" />
      <Skeleton className="h-16 w-1/2 justify-self-end" />
      <Skeleton className="h-16 w-2/3" />
    </div>
  );
}
