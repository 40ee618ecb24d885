import type { Conversation } from '@chowk/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { CircleAlert, Inbox, SquarePen, TrendingUp } from 'lucide-react';
import { useRef } from 'react';
import { keys } from '../../api/query-keys.ts';
import { tenantKey, useApi, useCan, useMe } from '../../api/use-api.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { FilterBar } from '../../list/filters.tsx';
import { normalizeSearch } from '../../list/view-filters.ts';
import { type View, Views } from '../../list/views.tsx';
import { customerName } from '../../people/customer-name.ts';
import type { Search } from '../../routing/search-params.ts';
import { api, useTenant } from '../../session/session.ts';
import { useMinute } from '../../time/minute.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { channels, durationSince, filters, snoozeEnd, waitingStyle } from './conversation-list.ts';
import { builtInViews, listInput, type ViewName, viewList } from './views.ts';

const iconLink =
  'grid size-9 place-items-center rounded-control text-secondary hover:bg-sunken hover:text-text max-md:size-11';

/** The conversations of a view, those with the newest activity first. */
export function Queue({ isOpen }: { readonly isOpen: boolean }) {
  const search: Search = useSearch({ from: '/shell/conversations' });
  const navigate = useNavigate();
  const can = useCan();
  const canReply = can('conversations.reply');
  const canReport = can('reports.view');
  const userId = useMe().data?.id ?? 0;
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: next.search !== search.search });
  const begin = () => void navigate({ to: '/conversations/new', search });
  useKeys(canReply ? [{ key: 'n', label: 'New conversation', run: begin }] : []);
  const Heading = isOpen ? 'h2' : 'h1';
  const views = useViews(userId);
  return (
    <div className={`flex min-h-0 min-w-0 flex-col border-line lg:border-r ${isOpen ? 'max-lg:hidden' : ''}`}>
      {!isOpen && <title>Conversations · Chowk</title>}
      <div className="flex min-h-9 items-center justify-between gap-2 px-4 pt-3 pb-1">
        <Heading className="text-xl font-semibold tracking-tight">Conversations</Heading>
        <div className="flex">
          {canReport && (
            <Link
              to="/reports"
              search={{ report: 'conversations' }}
              aria-label="Figures"
              title="Figures"
              className={iconLink}
            >
              <Icon icon={TrendingUp} />
            </Link>
          )}
          {canReply && (
            <IconButton label="New conversation" onClick={begin}>
              <Icon icon={SquarePen} />
            </IconButton>
          )}
        </div>
      </div>
      <div className="px-2.5 md:[&_nav_button]:px-1.5!">
        <Views name="conversations" list={viewList} views={views} search={search} onChange={show} />
      </div>
      <div className="px-4 [&>div>div:first-child]:w-auto [&>div>div:first-child]:min-w-44 [&>div>div:first-child]:flex-1 [&>div>span:last-child]:hidden">
        <FilterBar search={search} filters={filters} placeholder="Search name or text" onChange={show} />
      </div>
      <Items userId={userId} search={search} />
    </div>
  );
}

/** With how many each has; of those that are closed there is no end. */
function useViews(userId: number): readonly View[] {
  const { open, mine, unassigned, pending, closed } = builtInViews(userId);
  return [
    { ...open, count: useTotal('open', userId) },
    { ...mine, count: useTotal('mine', userId) },
    { ...unassigned, count: useTotal('unassigned', userId) },
    { ...pending, count: useTotal('pending', userId) },
    closed,
  ];
}

function useTotal(view: ViewName, userId: number): number | undefined {
  const { data } = useApi(keys.conversations.total(view, userId), (client) =>
    client.conversations.list({ ...listInput(builtInViews(userId)[view].search), per_page: 1 }),
  );
  return data?.pagination.total;
}

interface ItemsProps {
  readonly userId: number;
  readonly search: Search;
}

function Items({ userId, search }: ItemsProps) {
  const tenant = useTenant();
  const openId = useParams({ strict: false }).id;
  const input = listInput(search);
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
        <ReadError error={error} />
      </div>
    );
  }
  if (!conversations) return <Loading />;
  if (conversations.length === 0) return <EmptyQueue userId={userId} search={search} />;
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
  const { id, customer, subject, channel, assignee, assignee_id, has_attachment } = conversation;
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
            {last_message.excerpt || (has_attachment ? 'File' : 'No text')}
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

const emptyTexts: Readonly<Record<ViewName, readonly [string, string]>> = {
  open: ['Nobody is waiting', 'Messages of your customers appear here as they arrive.'],
  mine: ['Nothing is assigned to you', 'Open conversations that you take, or that others give you, appear here.'],
  unassigned: ['Everything is assigned', 'Open conversations that nobody has taken appear here.'],
  pending: ['Nothing is pending', 'Conversations that wait for the customer appear here.'],
  closed: ['Nothing is closed', 'Conversations that are done appear here.'],
};

function EmptyQueue({ userId, search }: ItemsProps) {
  const current = JSON.stringify(normalizeSearch(viewList, search));
  const views = Object.entries(builtInViews(userId)) as [ViewName, View][];
  const [name] = views.find(([, view]) => JSON.stringify(view.search) === current) ?? [];
  const [title, text] = name
    ? emptyTexts[name]
    : ['No conversation matches', 'Search for something else, or look in another view.'];
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
