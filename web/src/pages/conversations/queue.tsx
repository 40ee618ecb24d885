import type { Conversation, ConversationsListInput } from '@chowk/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { CircleAlert, Inbox, SquarePen } from 'lucide-react';
import { useRef } from 'react';
import { errorMessage } from '../../api/error-message.ts';
import { keys } from '../../api/query-keys.ts';
import { tenantKey, useApi, useCan, useMe } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { FilterBar } from '../../list/filters.tsx';
import { customerName } from '../../people/customer-name.ts';
import type { Search } from '../../routing/search-params.ts';
import { api, useTenant } from '../../session/session.ts';
import { useMinute } from '../../time/minute.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TabBar, TabCount, tabStyle } from '../../ui/tabs.tsx';
import {
  channels,
  durationSince,
  filters,
  parseView,
  searchFilters,
  snoozeEnd,
  type View,
  viewFilters,
  views,
  waitingStyle,
} from './conversation-list.ts';

const labels: Readonly<Record<View, string>> = {
  open: 'Open',
  mine: 'Mine',
  unassigned: 'Unassigned',
  pending: 'Pending',
  closed: 'Closed',
};

/** The conversations of a view, those with the newest activity first. */
export function Queue({ isOpen }: { readonly isOpen: boolean }) {
  const search: Search = useSearch({ from: '/shell/conversations' });
  const navigate = useNavigate();
  const canReply = useCan()('conversations.reply');
  const userId = useMe().data?.id ?? 0;
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: next.search !== search.search });
  const begin = () => void navigate({ to: '/conversations/new', search });
  useKeys(canReply ? [{ key: 'n', label: 'New conversation', run: begin }] : []);
  const Heading = isOpen ? 'h2' : 'h1';
  const view = parseView(search.view);
  return (
    <div className={`flex min-h-0 min-w-0 flex-col border-line lg:border-r ${isOpen ? 'max-lg:hidden' : ''}`}>
      {!isOpen && <title>Conversations · Chowk</title>}
      <div className="flex min-h-9 items-center justify-between gap-2 px-4 pt-3 pb-1">
        <Heading className="text-xl font-semibold tracking-tight">Conversations</Heading>
        {canReply && (
          <IconButton label="New conversation" onClick={begin}>
            <Icon icon={SquarePen} />
          </IconButton>
        )}
      </div>
      <Tabs view={view} userId={userId} onChange={(next) => show({ ...search, view: next })} />
      <div className="px-4 [&>div>div:first-child]:w-auto [&>div>div:first-child]:min-w-44 [&>div>div:first-child]:flex-1 [&>div>span:last-child]:hidden">
        <FilterBar search={search} filters={filters} placeholder="Search name or text" onChange={show} />
      </div>
      <Items view={view} userId={userId} search={search} />
    </div>
  );
}

interface TabsProps {
  readonly view: View;
  readonly userId: number;
  readonly onChange: (view: View) => void;
}

function Tabs({ view: current, userId, onChange }: TabsProps) {
  const counts: Readonly<Record<View, number | undefined>> = {
    open: useTotal('open', userId),
    mine: useTotal('mine', userId),
    unassigned: useTotal('unassigned', userId),
    pending: useTotal('pending', userId),
    closed: undefined,
  };
  return (
    <TabBar label="Views" className="px-2.5">
      {views.map((view) => (
        <button
          key={view}
          type="button"
          aria-pressed={view === current}
          onClick={() => onChange(view)}
          className={`${tabStyle} md:px-1.5!`}
        >
          {labels[view]} {counts[view] !== undefined && <TabCount>{count(counts[view])}</TabCount>}
        </button>
      ))}
    </TabBar>
  );
}

function useTotal(view: View, userId: number): number | undefined {
  const { data } = useApi(keys.conversations.total(view, userId), (client) =>
    client.conversations.list({ ...viewFilters(view, userId), per_page: 1 }),
  );
  return data?.pagination.total;
}

interface ItemsProps {
  readonly view: View;
  readonly userId: number;
  readonly search: Search;
}

function Items({ view, userId, search }: ItemsProps) {
  const tenant = useTenant();
  const openId = useParams({ strict: false }).id;
  const narrowed = searchFilters(search);
  const input: ConversationsListInput = { ...viewFilters(view, userId), ...narrowed };
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: tenantKey(tenant, keys.conversations.list(input)),
    queryFn: ({ pageParam }) =>
      api().conversations.list({ ...input, limit: 50, ...(pageParam !== undefined && { cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
    placeholderData: (before, query) => (query?.queryKey[1] === (tenant ?? '') ? before : undefined),
  });
  const list = useRef<HTMLUListElement>(null);
  useQueueKeys(list);
  useMinute();
  const conversations = data?.pages.flatMap((page) => page.conversations);
  if (error && !conversations) {
    return (
      <div className="px-4">
        <Notice tone="error">{errorMessage(error)}</Notice>
      </div>
    );
  }
  if (!conversations) return <Loading />;
  if (conversations.length === 0) return <EmptyQueue view={view} isSearching={Object.keys(narrowed).length > 0} />;
  return (
    <section
      aria-label="Queue"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain border-t border-line"
    >
      <ul ref={list}>
        {conversations.map((conversation) => (
          <Item key={conversation.id} conversation={conversation} isCurrent={conversation.id === openId} />
        ))}
      </ul>
      {hasNextPage && (
        <div className="grid p-3">
          <Button variant="quiet" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </section>
  );
}

function Item({ conversation, isCurrent }: { readonly conversation: Conversation; readonly isCurrent: boolean }) {
  const { id, customer, subject, channel, assignee, assignee_id } = conversation;
  const { last_message, last_message_at, waiting_since, is_unread, has_failed, is_snoozed, snoozed_until } =
    conversation;
  const { icon, label } = channels[channel];
  const prefix =
    last_message?.direction === 'outbound' ? 'Reply: ' : last_message?.direction === 'note' ? 'Note: ' : '';
  return (
    <li>
      <Link
        to="/conversations/$id"
        params={{ id }}
        search={({ pane: _, ...search }: Search) => search}
        data-open={isCurrent || undefined}
        className="grid grid-cols-1 gap-0.5 border-b border-line px-4 py-2.5 text-sm hover:bg-sunken focus-visible:-outline-offset-2 data-open:bg-accent-tint data-open:[--faint:var(--secondary)]"
      >
        <span className="flex items-baseline gap-2">
          {is_unread && (
            <span className="size-2 shrink-0 self-center rounded-full bg-accent">
              <span className="sr-only">Unread</span>
            </span>
          )}
          <span className={`min-w-0 flex-1 truncate text-base ${is_unread ? 'font-semibold' : ''}`}>
            {customerName(customer)}
          </span>
          <span className="text-xs">
            <RelativeTime time={last_message_at} />
          </span>
        </span>
        {subject !== '' && <span className={`truncate ${is_unread ? 'font-medium' : ''}`}>{subject}</span>}
        {last_message && (
          <span className="truncate text-secondary">
            {prefix}
            {last_message.excerpt}
          </span>
        )}
        <span className="mt-0.5 flex items-center gap-2 text-xs text-secondary">
          <span title={label} className="inline-flex">
            <Icon icon={icon} size={14} label={label} />
          </span>
          {waiting_since && (
            <span className={`numeric font-medium ${waitingStyle(waiting_since)}`}>
              Waiting {durationSince(waiting_since)}
            </span>
          )}
          {has_failed && (
            <span className="flex shrink-0 items-center gap-1 font-medium text-error">
              <Icon icon={CircleAlert} size={13} strokeWidth={2} />
              Not delivered
            </span>
          )}
          {is_snoozed && (
            <span className="shrink-0" title={`Snoozed ${snoozeEnd(snoozed_until)}`}>
              Snoozed
            </span>
          )}
          <span className="ml-auto min-w-0 truncate">
            {assignee ? assignee.name : assignee_id === null ? '' : 'Former member'}
          </span>
        </span>
      </Link>
    </li>
  );
}

/** Moves the focus; Enter opens the link that has it. */
function useQueueKeys(list: React.RefObject<HTMLUListElement | null>): void {
  const move = (step: number) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('a') ?? [])];
    const focused = links.indexOf(document.activeElement as HTMLElement);
    const current = focused >= 0 ? focused : links.findIndex((link) => link.dataset.open !== undefined);
    const next = links[current < 0 ? 0 : current + step];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  };
  useKeys([
    { key: 'j', label: 'Next conversation', run: () => move(1) },
    { key: 'k', label: 'Previous conversation', run: () => move(-1) },
  ]);
}

function EmptyQueue({ view, isSearching }: { readonly view: View; readonly isSearching: boolean }) {
  const texts: Readonly<Record<View, readonly [string, string]>> = {
    open: ['Nobody is waiting', 'Messages of your customers appear here as they arrive.'],
    mine: ['Nothing is assigned to you', 'Open conversations that you take, or that others give you, appear here.'],
    unassigned: ['Everything is assigned', 'Open conversations that nobody has taken appear here.'],
    pending: ['Nothing is pending', 'Conversations that wait for the customer appear here.'],
    closed: ['Nothing is closed', 'Conversations that are done appear here.'],
  };
  const [title, text] = isSearching
    ? ['No conversation matches', 'Search for something else, or look in another view.']
    : texts[view];
  return (
    <EmptyState icon={Inbox} title={title}>
      {text}
    </EmptyState>
  );
}

function Loading() {
  return (
    <div role="status" className="grid gap-4 px-4 pt-3">
      <span className="sr-only">Loading…</span>
      {[1, 2, 3, 4, 5].map((one) => (
        <div key={one} className="grid gap-1.5">
          <Skeleton className="h-4 w-1/2" />
          <Skeleton className="h-3.5 w-full" />
        </div>
      ))}
    </div>
  );
}
