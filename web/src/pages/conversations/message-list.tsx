import type { Conversation, ConversationMessage } from '@chowk/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ArrowDown, Lock } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { tenantKey, useMe } from '../../api/use-api.ts';
import { customerName } from '../../people/customer-name.ts';
import { api, useTenant } from '../../session/session.ts';
import { dayHeading } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { DeliveryProblem, MessageBody } from './message-body.tsx';
import { type Outgoing, readMessages, useOutbox, useSend } from './outbox.ts';

/** Closer to its end than this many pixels, the list follows new messages. */
const followMargin = 80;

/** The messages and notes, the newest at the end, and what is being sent. */
export function MessageList({ conversation }: { readonly conversation: Conversation }) {
  const { id } = conversation;
  const tenant = useTenant();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: tenantKey(tenant, keys.conversations.messages(id)),
    queryFn: ({ pageParam }) => readMessages(api(), id, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  });
  const messages = data?.pages.flatMap((page) => page.messages).reverse();
  const outgoing = useOutbox(id);
  const newest = `${messages?.at(-1)?.id} ${outgoing.length}`;
  const scroll = useFollow(newest, `${newest} ${messages?.length} ${messages?.[0]?.id}`);
  const loadOlder = () => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  };
  if (error && !messages) {
    return (
      <div className="flex-1 p-6">
        <ReadError error={error} />
      </div>
    );
  }
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroll.ref}
        role="log"
        aria-label="Messages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
        tabIndex={0}
        onScroll={({ currentTarget }) => {
          scroll.onScroll();
          if (currentTarget.scrollTop < 40) loadOlder();
        }}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-4 py-4 [overflow-anchor:none] focus-visible:-outline-offset-2 md:px-6"
      >
        {hasNextPage && (
          <div className="grid justify-center pb-4">
            <Button variant="quiet" isBusy={isFetchingNextPage} onClick={loadOlder}>
              Show older messages
            </Button>
          </div>
        )}
        {!messages ? (
          <Skeleton className="h-16 w-2/3" />
        ) : messages.length === 0 && outgoing.length === 0 ? (
          <p className="py-8 text-center text-secondary">No messages yet.</p>
        ) : (
          <Days conversation={conversation} messages={messages} outgoing={outgoing} />
        )}
      </div>
      {scroll.hasNew && (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 grid justify-center">
          <Button variant="primary" className="pointer-events-auto rounded-full! shadow-raised" onClick={scroll.toEnd}>
            <Icon icon={ArrowDown} size={14} strokeWidth={2} />
            New messages
          </Button>
        </div>
      )}
    </div>
  );
}

/** Stays at the end as messages arrive. If the reader has scrolled up, what is being read stays where it is. */
function useFollow(newest: string, shown: string) {
  const ref = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const anchor = useRef<{ readonly element: Element; readonly bottom: number }>(undefined);
  const [hasNew, setNew] = useState(false);
  const toEnd = () => {
    if (ref.current) ref.current.scrollTop = ref.current.scrollHeight;
  };
  const remember = () => {
    const edge = ref.current?.getBoundingClientRect().top ?? 0;
    const articles = [...(ref.current?.querySelectorAll('article') ?? [])];
    const element = articles.find((one) => one.getBoundingClientRect().bottom > edge);
    // Its bottom: the author above a message comes and goes with the message before it.
    anchor.current = element && { element, bottom: element.getBoundingClientRect().bottom };
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown moves what is read
  useLayoutEffect(() => {
    if (isAtEnd.current) toEnd();
    else if (anchor.current?.element.isConnected && ref.current) {
      ref.current.scrollTop += anchor.current.element.getBoundingClientRect().bottom - anchor.current.bottom;
    }
    remember();
  }, [shown]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each new message
  useLayoutEffect(() => {
    if (!isAtEnd.current) setNew(true);
  }, [newest]);
  useLayoutEffect(() => {
    // The reply box grows as one types.
    const element = ref.current as HTMLElement;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return {
    ref,
    hasNew,
    toEnd,
    onScroll() {
      const { scrollHeight, scrollTop, clientHeight } = ref.current as HTMLElement;
      isAtEnd.current = scrollHeight - scrollTop - clientHeight < followMargin;
      if (isAtEnd.current) setNew(false);
      remember();
    },
  };
}

interface DaysProps {
  readonly conversation: Conversation;
  readonly messages: readonly ConversationMessage[];
  readonly outgoing: readonly Outgoing[];
}

function Days({ conversation, messages, outgoing }: DaysProps) {
  const me = useMe().data;
  const days = Map.groupBy(messages, ({ sent_at }) => dayHeading(sent_at));
  const isTodayShown = days.has(dayHeading(new Date().toISOString()));
  return (
    <div className="grid gap-6">
      {[...days].map(([day, ofDay]) => (
        <section key={day} className="grid gap-3">
          <h2 className="flex items-center gap-3 text-xs font-medium text-secondary before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            {day}
          </h2>
          {ofDay.map((message, index) => {
            const previous = ofDay[index - 1];
            const isContinued =
              previous?.direction === message.direction &&
              previous.user_id === message.user_id &&
              previous.sender === message.sender;
            const author =
              message.direction === 'inbound'
                ? (message.sender ?? customerName(conversation.customer))
                : authorName(message, me?.id);
            return (
              <div key={message.id} className="grid grid-cols-1 gap-1">
                <Bubble direction={message.direction} author={isContinued ? undefined : author}>
                  <MessageBody message={message} />
                </Bubble>
                <DeliveryProblem message={message} />
              </div>
            );
          })}
        </section>
      ))}
      {outgoing.length > 0 && (
        <div className={`grid gap-3 ${isTodayShown ? '-mt-3' : ''}`}>
          {outgoing.map((message) => (
            <Sending key={message.key} message={message} />
          ))}
        </div>
      )}
    </div>
  );
}

function authorName({ user, user_id }: ConversationMessage, ownId: number | undefined): string {
  if (user_id !== null && user_id === ownId) return 'You';
  return user?.name ?? (user_id === null ? 'Sent automatically' : 'Former member');
}

const styles = {
  inbound: 'justify-self-start bg-surface border border-line',
  outbound: 'justify-self-end bg-accent-tint [--faint:var(--secondary)]',
  note: 'w-full bg-warning-tint [--faint:var(--secondary)]',
};

interface BubbleProps {
  readonly direction: keyof typeof styles;
  readonly author?: string | undefined;
  readonly children: React.ReactNode;
}

function Bubble({ direction, author, children }: BubbleProps) {
  const isNote = direction === 'note';
  return (
    <article className="grid grid-cols-1 gap-1">
      {author !== undefined && (
        <h3
          className={`flex min-w-0 items-center gap-1.5 text-xs ${isNote ? 'font-medium text-warning' : 'text-secondary'} ${direction === 'outbound' ? 'justify-self-end' : ''}`}
        >
          {isNote && <Icon icon={Lock} size={12} strokeWidth={2} />}
          <span className="min-w-0 truncate">
            {isNote ? `Note by ${author === 'You' ? 'you' : author}, for the team only` : author}
          </span>
        </h3>
      )}
      <div
        className={`max-w-[min(36rem,90%)] rounded-panel px-3.5 py-2 ${isNote ? 'max-w-full!' : ''} ${styles[direction]}`}
      >
        {children}
      </div>
    </article>
  );
}

function Sending({ message }: { readonly message: Outgoing }) {
  const { retry, sendAnyway, discard } = useSend();
  const { direction, body, attachmentIds = [], problem, isAnswered = false } = message;
  return (
    <div className="grid gap-1">
      <Bubble direction={direction}>
        {body !== '' && <p className="break-words whitespace-pre-wrap">{body}</p>}
        {attachmentIds.length > 0 && (
          <p className="text-sm">{attachmentIds.length === 1 ? '1 file' : `${attachmentIds.length} files`}</p>
        )}
        <p className="text-right text-xs text-secondary">{problem ? 'Not sent' : 'Sending…'}</p>
      </Bubble>
      {problem && (
        <div className="grid justify-items-end gap-1">
          <span role="alert" className="text-right text-sm text-error">
            {problem}
          </span>
          <div className="flex gap-2">
            <Button variant="quiet" onClick={() => discard(message)}>
              Discard
            </Button>
            {isAnswered ? (
              <Button onClick={() => sendAnyway(message)}>Send anyway</Button>
            ) : (
              <Button onClick={() => retry(message)}>Send again</Button>
            )}
          </div>
        </div>
      )}
    </div>
  );
}
