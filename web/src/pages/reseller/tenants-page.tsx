import type { OnboardingListTenantsInput, ResellerTenant } from '@chowk/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Store } from 'lucide-react';
import { useMemo } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { type Column, DataTable } from '../../list/data-table.tsx';
import { FilterBar } from '../../list/filters.tsx';
import { NoMatch } from '../../list/no-match.tsx';
import { useList } from '../../list/use-list.ts';
import type { Search } from '../../routing/search-params.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { filters, listSearch, roles, statuses } from './tenant-list.ts';
import { TenantsLayout } from './tenants-layout.tsx';

/** The tenants that came with a code of the reseller. */
export function TenantsPage() {
  return (
    <TenantsLayout tab="/tenants">
      <Tenants />
    </TenantsLayout>
  );
}

function Tenants() {
  const search: Search = listSearch(useSearch({ from: '/shell/tenants' }));
  const navigate = useNavigate();
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: next.search !== search.search });
  const list = useList(keys.resellerTenants.list(search), async (client, page) => {
    const { tenants, pagination } = await client.onboarding.listTenants({
      ...(search as OnboardingListTenantsInput),
      ...page,
    });
    return { rows: tenants, total: 'total' in pagination ? pagination.total : 0 };
  });
  const { data: form } = useApi(keys.applyForm, (client) => client.onboarding.getForm());
  const columns = useMemo(() => tenantColumns(form?.address), [form?.address]);
  const isFiltered = Object.keys(search).some((key) => !key.startsWith('sort_'));
  return (
    <>
      <FilterBar search={search} filters={filters} placeholder="Search name or id" onChange={show} total={list.total} />
      <DataTable
        caption="Tenants"
        list={list}
        columns={columns}
        rowName={({ name }) => name}
        sort={{ by: search.sort_by ?? 'created_at', order: search.sort_order === 'asc' ? 'asc' : 'desc' }}
        onSort={({ by, order }) => show({ ...search, sort_by: by, sort_order: order })}
        empty={
          isFiltered ? (
            <NoMatch icon={Store} names={['tenant', 'tenants']} onClear={() => void navigate({ to: '/tenants' })} />
          ) : (
            <EmptyState icon={Store} title="No tenants yet">
              Organizations of businesses whose application you approved are listed here.
            </EmptyState>
          )
        }
      />
    </>
  );
}

/** With the link to the console of each tenant, if the address is known. */
function tenantColumns(address: string | undefined): readonly Column<ResellerTenant>[] {
  return [
    {
      key: 'name',
      label: 'Name',
      sortBy: 'name',
      isOnPhone: true,
      cell: ({ name, domains: [domain = ''] }) => (
        <a
          href={address?.replace('{domain}', domain)}
          target="_blank"
          rel="noreferrer"
          className="block min-w-0 truncate font-medium hover:underline"
        >
          {name}
        </a>
      ),
    },
    {
      key: 'status',
      label: 'Status',
      width: '9rem',
      isOnPhone: true,
      cell: ({ status }) => <StatusPill tone={statuses[status].tone}>{statuses[status].label}</StatusPill>,
    },
    { key: 'role', label: 'Kind', width: '8rem', cell: ({ role }) => roles[role] },
    {
      key: 'domains',
      label: 'Addresses',
      cell: ({ domains }) => <span className="text-secondary">{domains.join(', ')}</span>,
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
}
