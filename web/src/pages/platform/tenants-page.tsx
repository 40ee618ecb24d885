import type { PlatformListTenantsInput, PlatformTenant } from '@chowk/client';
import { Link, Outlet, useChildMatches, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Store } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { type Column, DataTable } from '../../list/data-table.tsx';
import { FilterBar } from '../../list/filters.tsx';
import { NoMatch } from '../../list/no-match.tsx';
import { useList } from '../../list/use-list.ts';
import type { Search } from '../../routing/search-params.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { roles, statuses } from '../reseller/tenant-list.ts';
import { PlatformLayout } from './platform-layout.tsx';
import { isChanging, listSearch } from './tenant-list.ts';
import { useRepeat } from './use-repeat.ts';

/** All tenants of the platform, and the one that is open beside them. */
export function PlatformTenantsPage() {
  const hasDetail = useChildMatches().length > 0;
  return (
    <PlatformLayout tab="/platform" detail={hasDetail && <Outlet />}>
      <Tenants />
    </PlatformLayout>
  );
}

function Tenants() {
  const search: Search = listSearch(useSearch({ from: '/shell/platform' }));
  const openId = useParams({ strict: false }).id;
  const navigate = useNavigate();
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: next.search !== search.search });
  const { data: rings } = useApi(keys.platform.rings, (client) => client.rings.list());
  const { data: servers } = useApi(keys.platform.servers, (client) => client.platform.listServers());
  const list = useList(keys.platform.tenantList(search), async (client, page) => {
    const { tenants, pagination } = await client.platform.listTenants({
      ...(search as PlatformListTenantsInput),
      ...page,
    });
    return { rows: tenants, total: 'total' in pagination ? pagination.total : 0 };
  });
  useRepeat(list.loaded.some(isChanging), keys.platform.tenants, keys.platform.histories);
  const named = (all: readonly { readonly name: string }[] = []) => all.map(({ name }) => [name, name] as const);
  const filters = [
    {
      key: 'status',
      label: 'Status',
      options: Object.entries(statuses).map(([status, { label }]) => [status, label] as const),
    },
    { key: 'role', label: 'Kind', options: Object.entries(roles) },
    { key: 'ring', label: 'Ring', options: named(rings?.rings) },
    { key: 'database_server', label: 'Database server', options: named(servers?.servers) },
  ];
  return (
    <>
      <FilterBar
        search={search}
        filters={filters}
        placeholder="Search name, id or domain"
        onChange={show}
        total={list.total}
      />
      <DataTable
        caption="Tenants"
        list={list}
        columns={columns}
        rowName={({ name }) => name}
        openId={openId}
        onOpen={({ id }) => void navigate({ to: '/platform/tenants/$id', params: { id }, search })}
        sort={{ by: search.sort_by ?? 'created_at', order: search.sort_order === 'asc' ? 'asc' : 'desc' }}
        onSort={({ by, order }) => show({ ...search, sort_by: by, sort_order: order })}
        empty={
          <NoMatch icon={Store} names={['tenant', 'tenants']} onClear={() => void navigate({ to: '/platform' })} />
        }
      />
    </>
  );
}

const columns: readonly Column<PlatformTenant>[] = [
  {
    key: 'name',
    label: 'Name',
    sortBy: 'name',
    isOnPhone: true,
    cell: ({ id, name }) => (
      <Link
        to="/platform/tenants/$id"
        params={{ id }}
        search={(search) => listSearch(search)}
        className="block min-w-0 truncate font-medium hover:underline"
      >
        {name}
      </Link>
    ),
  },
  {
    key: 'status',
    label: 'Status',
    width: '9rem',
    isOnPhone: true,
    cell: ({ status, move }) =>
      move ? (
        <StatusPill tone="info">Moving</StatusPill>
      ) : (
        <StatusPill tone={statuses[status].tone}>{statuses[status].label}</StatusPill>
      ),
  },
  { key: 'ring', label: 'Ring', width: '8rem', cell: ({ ring }) => ring },
  { key: 'id', label: 'Id', width: '9rem', cell: ({ id }) => <span className="text-secondary">{id}</span> },
  { key: 'role', label: 'Kind', width: '7rem', cell: ({ role }) => roles[role] },
  {
    key: 'server',
    label: 'Server',
    width: '8rem',
    cell: ({ database_server }) => <span className="text-secondary">{database_server}</span>,
  },
  {
    key: 'created',
    label: 'Since',
    width: '7rem',
    sortBy: 'created_at',
    isNumber: true,
    cell: ({ created_at }) => <RelativeTime time={created_at} />,
  },
];
