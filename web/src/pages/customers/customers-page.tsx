import type { Customer, CustomersListInput } from '@chowk/client';
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import { useApi } from '../../api-query.ts';
import { count, money } from '../../format.ts';
import { ColumnMenu, useColumns } from '../../list/column-choice.tsx';
import { type Column, DataTable } from '../../list/data-table.tsx';
import { FilterBar } from '../../list/filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { useSelection } from '../../list/selection.ts';
import { SelectionBar } from '../../list/selection-bar.tsx';
import { useList } from '../../list/use-list.ts';
import { Views } from '../../list/views.tsx';
import { useLive } from '../../live.ts';
import type { Search } from '../../search.ts';
import { Needs } from '../../shell/needs.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { filters, nameOf } from './customer-list.ts';

const columns: readonly Column<Customer>[] = [
  {
    key: 'name',
    label: 'Name',
    sortBy: 'first_name',
    isOnPhone: true,
    cell: (customer) => (
      <Link
        to="/customers/$id"
        params={{ id: customer.id }}
        search={(search) => search}
        className="font-medium hover:underline"
      >
        {nameOf(customer)}
      </Link>
    ),
  },
  { key: 'email', label: 'Email', cell: ({ email }) => <span className="text-secondary">{email}</span> },
  { key: 'phone', label: 'Phone', width: '10rem', cell: ({ phone }) => <span className="numeric">{phone}</span> },
  { key: 'tags', label: 'Tags', cell: ({ tags }) => <span className="text-secondary">{tags.join(', ')}</span> },
  {
    ...{ key: 'orders', label: 'Orders', width: '6rem', sortBy: 'total_orders', isNumber: true },
    cell: ({ total_orders }) => count(total_orders),
  },
  {
    ...{ key: 'spent', label: 'Spent', width: '9rem', sortBy: 'total_spent', isNumber: true, isOnPhone: true },
    cell: ({ total_spent, currency }) => (currency ? money(total_spent, currency) : ''),
  },
  {
    ...{ key: 'last_order', label: 'Last order', width: '8rem', sortBy: 'last_order_at', isNumber: true },
    cell: ({ last_order_at }) => last_order_at && <RelativeTime time={last_order_at} />,
  },
  {
    ...{ key: 'created', label: 'Created', width: '8rem', sortBy: 'created_at', isNumber: true, isExtra: true },
    cell: ({ created_at }) => <RelativeTime time={created_at} />,
  },
];

/** All customers, and the one that is open beside them. */
export function CustomersPage() {
  return (
    <Needs permission="customers.view">
      <Customers />
    </Needs>
  );
}

function Customers() {
  const search: Search = useSearch({ from: '/shell/customers' });
  const openId = useParams({ strict: false }).id;
  const navigate = useNavigate();
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: next.search !== search.search });
  const list = useList(['customers', 'list', search], async (client, page) => {
    const { customers, pagination } = await client.customers.list({ ...(search as CustomersListInput), ...page });
    return { rows: customers, total: pagination.total };
  });
  const segments = useApi(['customers', 'segments'], (client) => client.customers.listSegments());
  const segmentCount = (key: string) => segments.data?.segments.find((one) => one.key === key)?.count;
  const selection = useSelection();
  const { visible, choice } = useColumns('customers', columns);
  useLive(['customerCreated { id }', 'customerUpdated { id }', 'customerDeleted { id }'], 'customers');
  const views = [
    { label: 'All', search: {} },
    { label: 'VIP', search: { vip: 'true' }, count: segmentCount('vip') },
  ];
  return (
    <ListPage title="Customers" detail={openId !== undefined && <Outlet />}>
      <Views name="customers" views={views} search={search} onChange={show} />
      <div className="pt-3">
        <FilterBar search={search} filters={filters} placeholder="Search name, phone or email" onChange={show}>
          <span className="numeric text-sm text-secondary">{list.total !== undefined && count(list.total)}</span>
          <ColumnMenu choice={choice} />
        </FilterBar>
      </div>
      <SelectionBar selection={selection}>{null}</SelectionBar>
      <DataTable
        caption="Customers"
        list={list}
        columns={visible}
        idOf={({ id }) => id}
        nameOf={nameOf}
        openId={openId}
        onOpen={({ id }) => void navigate({ to: '/customers/$id', params: { id }, search })}
        sort={{ by: search.sort_by ?? 'created_at', order: search.sort_order === 'asc' ? 'asc' : 'desc' }}
        onSort={({ by, order }) => show({ ...search, sort_by: by, sort_order: order })}
        selection={selection}
        empty={<NoCustomers isFiltered={Object.keys(search).length > 0} />}
      />
    </ListPage>
  );
}

function NoCustomers({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <EmptyState
      icon={<Users size={20} strokeWidth={1.5} aria-hidden />}
      title={isFiltered ? 'No customer matches' : 'No customers yet'}
    >
      {isFiltered ? 'Search for something else, or remove a filter.' : 'The first order of a customer adds them here.'}
    </EmptyState>
  );
}
