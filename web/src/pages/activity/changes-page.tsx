import type { AuditListInput } from '@chowk/client';
import { Link, Outlet, useChildMatches, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { useEffect } from 'react';
import { ChangeSentence } from '../../activity/change-sentence.tsx';
import { type Change, readChanges } from '../../activity/read-changes.ts';
import { keys } from '../../api/query-keys.ts';
import { useCan } from '../../api/use-api.ts';
import { type Column, DataTable } from '../../list/data-table.tsx';
import { ExportButton } from '../../list/export.tsx';
import { FilterBar } from '../../list/filters.tsx';
import { NoMatch } from '../../list/no-match.tsx';
import { useList } from '../../list/use-list.ts';
import type { Search } from '../../routing/search-params.ts';
import { relativeTime } from '../../time/relative-time.ts';
import { exactTime } from '../../time/times.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageLoading } from '../../ui/page-loading.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { ActivityLayout } from './activity-layout.tsx';
import { changeSearch } from './activity-search.ts';
import { outcomeFilter, outcomes, thingFilter, timeFilters, usePersonFilter } from './filters.ts';

/** What everyone has changed, in plain sentences. */
export function ChangesPage() {
  const search: Search = changeSearch(useSearch({ from: '/shell/activity' }));
  const hasDetail = useChildMatches().length > 0;
  const can = useCan();
  if (!can('audit.view') && can('activity.view')) return <ToAccounts />;
  const exported = can('audit.export') && (
    <ExportButton
      name="changes"
      total={undefined}
      read={(client, format, signal) => client.audit.export({ ...toInput(search), format }, { signal })}
    />
  );
  return (
    <ActivityLayout tab="/activity" actions={exported} detail={hasDetail && <Outlet />}>
      <Changes search={search} />
    </ActivityLayout>
  );
}

/** For those who may see only these. */
function ToAccounts() {
  const navigate = useNavigate();
  useEffect(() => void navigate({ to: '/activity/accounts', replace: true }), [navigate]);
  return <PageLoading />;
}

/** Calls between modules are part of what a person did. */
function toInput({ user_id, ...search }: Search) {
  const input = { ...search, is_internal: false, ...(user_id && { user_id: Number(user_id) }) };
  return input as Pick<
    AuditListInput,
    'user_id' | 'resource' | 'resource_id' | 'outcome' | 'from' | 'to' | 'sort_order'
  >;
}

function Changes({ search }: { readonly search: Search }) {
  const openId = useParams({ strict: false }).id;
  const navigate = useNavigate();
  const can = useCan();
  const people = usePersonFilter();
  const list = useList<Change>(keys.activity.changes(search), async (client, page) => {
    const { changes, total } = await readChanges(client, can, { ...toInput(search), ...page });
    return { rows: changes, total };
  });
  const show = (next: Search) => void navigate({ to: '.', search: next });
  const clear = () => void navigate({ to: '/activity' });
  return (
    <>
      <FilterBar
        search={search}
        filters={[
          ...people,
          thingFilter,
          ...(search.resource_id ? [{ key: 'resource_id', label: 'Record' }] : []),
          outcomeFilter,
          ...timeFilters,
        ]}
        onChange={show}
        total={list.total}
      />
      <DataTable
        caption="Changes"
        list={list}
        columns={columns}
        rowName={({ action }) => action}
        openId={list.loaded.find(({ request_id }) => request_id === openId)?.id}
        onOpen={({ request_id: id }) => void navigate({ to: '/activity/$id', params: { id }, search })}
        sort={{ by: 'at', order: search.sort_order === 'asc' ? 'asc' : 'desc' }}
        onSort={({ order }) => show({ ...search, sort_order: order })}
        empty={
          Object.keys(search).length > 0 ? (
            <NoMatch icon={History} names={['change', 'changes']} onClear={clear} />
          ) : (
            <EmptyState icon={History} title="Nothing has happened yet">
              Every change, by people and by programs, is listed here with who made it and when.
            </EmptyState>
          )
        }
      />
    </>
  );
}

const columns: readonly Column<Change>[] = [
  {
    key: 'at',
    label: 'When',
    width: '8.5rem',
    sortBy: 'at',
    isOnPhone: true,
    cell: ({ at, request_id: id }) => (
      <Link
        to="/activity/$id"
        params={{ id }}
        search={(search) => changeSearch(search)}
        title={exactTime(at)}
        className="text-secondary hover:underline"
      >
        {relativeTime(at)}
      </Link>
    ),
  },
  {
    key: 'what',
    label: 'What happened',
    isOnPhone: true,
    cell: (change) => (
      <span className="block min-w-0 truncate max-md:line-clamp-2 max-md:whitespace-normal">
        <ChangeSentence change={change} />
      </span>
    ),
  },
  {
    key: 'outcome',
    label: 'Outcome',
    width: '7rem',
    cell: ({ outcome }) =>
      outcome !== 'ok' && (
        <StatusPill tone={outcome === 'failed' ? 'error' : 'warning'}>{outcomes[outcome]}</StatusPill>
      ),
  },
];
