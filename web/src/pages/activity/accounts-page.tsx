import type { ActivityEntry, ActivityListInput } from '@chowk/client';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useCan, useMe } from '../../api/use-api.ts';
import { type Column, DataTable } from '../../list/data-table.tsx';
import { ExportButton } from '../../list/export.tsx';
import { FilterBar } from '../../list/filters.tsx';
import { NoMatch } from '../../list/no-match.tsx';
import { useList } from '../../list/use-list.ts';
import type { Search } from '../../routing/search-params.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { describeActivity } from '../account/activity-sentence.ts';
import { describeDevice } from '../account/user-agent.ts';
import { ActivityLayout } from './activity-layout.tsx';
import { accountSearch } from './activity-search.ts';
import { timeFilters, usePersonFilter } from './filters.ts';

/** Sign-ins, and what members did to their accounts and to the team. */
export function AccountsPage() {
  const search: Search = accountSearch(useSearch({ from: '/shell/activity/accounts' }));
  const can = useCan();
  const exported = can('activity.export') && (
    <ExportButton
      name="activity"
      total={undefined}
      read={(client, format, signal) => client.activity.export({ ...toInput(search), format }, { signal })}
    />
  );
  return (
    <ActivityLayout tab="/activity/accounts" actions={exported}>
      <Accounts search={search} />
    </ActivityLayout>
  );
}

function toInput({ user_id, ...search }: Search) {
  const input = { ...search, ...(user_id && { user_id: Number(user_id) }) };
  return input as Pick<ActivityListInput, 'user_id' | 'from' | 'to' | 'sort_order'>;
}

function Accounts({ search }: { readonly search: Search }) {
  const navigate = useNavigate();
  const people = usePersonFilter();
  const ownId = useMe().data?.id;
  const list = useList<ActivityEntry>(keys.activity.accounts(search), async (client, page) => {
    const { activity, pagination } = await client.activity.list({ ...toInput(search), ...page });
    return { rows: activity, total: pagination.total };
  });
  const show = (next: Search) => void navigate({ to: '/activity/accounts', search: next });
  return (
    <>
      <FilterBar search={search} filters={[...people, ...timeFilters]} onChange={show} total={list.total} />
      <DataTable
        caption="Sign-ins and accounts"
        list={list}
        columns={columns(ownId)}
        rowName={({ action }) => action}
        onOpen={({ user }) => user && show({ ...search, user_id: String(user.id) })}
        sort={{ by: 'at', order: search.sort_order === 'asc' ? 'asc' : 'desc' }}
        onSort={({ order }) => show({ ...search, sort_order: order })}
        empty={
          Object.keys(search).length > 0 ? (
            <NoMatch icon={History} names={['entry', 'entries']} onClear={() => show({})} />
          ) : (
            <EmptyState icon={History} title="Nothing has happened yet">
              Sign-ins, and changes of accounts and of the team, are listed here.
            </EmptyState>
          )
        }
      />
    </>
  );
}

function columns(ownId: number | undefined): readonly Column<ActivityEntry>[] {
  return [
    {
      key: 'at',
      label: 'When',
      width: '8.5rem',
      sortBy: 'at',
      isOnPhone: true,
      cell: ({ at }) => <RelativeTime time={at} />,
    },
    {
      key: 'what',
      label: 'What happened',
      isOnPhone: true,
      cell: (entry) => <AccountSentence entry={entry} ownId={ownId} />,
    },
    {
      key: 'device',
      label: 'Device',
      width: '12rem',
      cell: ({ user_agent }) => <span className="text-secondary">{describeDevice(user_agent)}</span>,
    },
    { key: 'ip', label: 'Address', width: '9rem', cell: ({ ip }) => <span className="text-secondary">{ip}</span> },
  ];
}

interface AccountSentenceProps {
  readonly entry: ActivityEntry;
  readonly ownId: number | undefined;
}

function AccountSentence({ entry, ownId }: AccountSentenceProps) {
  const { user } = entry;
  return (
    <span className="block min-w-0 truncate max-md:line-clamp-2 max-md:whitespace-normal">
      {user ? (
        <Link
          to="/activity/accounts"
          search={(search) => ({ ...accountSearch(search), user_id: String(user.id) })}
          className="font-medium hover:underline"
        >
          {user.id === ownId ? 'You' : user.name}
        </Link>
      ) : (
        <span className="font-medium">The platform</span>
      )}{' '}
      <span className="text-secondary">{sentence(entry)}</span>
    </span>
  );
}

function sentence(entry: ActivityEntry): string {
  const { action, subject, details } = entry;
  if (action === 'member_removed') return `removed ${subject?.name ?? 'a member'}`;
  if (action === 'member_role_changed') {
    return `changed the role of ${subject?.name ?? 'a member'} from ${details.from} to ${details.to}`;
  }
  const text = describeActivity(entry);
  return text.charAt(0).toLowerCase() + text.slice(1);
}
