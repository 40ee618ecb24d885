import type { Customer, CustomersListInput } from '@chowk/client';
import { Link, Outlet, useChildMatches, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Plus, Users } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { count, money } from '../../format/numbers.ts';
import { formatPhone } from '../../format/phone.ts';
import type { Column } from '../../list/data-table.tsx';
import { ResourceList } from '../../list/resource-list.tsx';
import { useSelection } from '../../list/selection.ts';
import { useList } from '../../list/use-list.ts';
import type { View } from '../../list/views.tsx';
import { useLive } from '../../live/use-live.ts';
import { customerName } from '../../people/customer-name.ts';
import { useSegments } from '../../people/segments.ts';
import type { Search } from '../../routing/search-params.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { filtersWith, listSearch, viewList } from './customer-list.ts';
import { useTagNames } from './tags.ts';

const columns: readonly Column<Customer>[] = [
  {
    key: 'name',
    label: 'Name',
    width: '22%',
    sortBy: 'first_name',
    isOnPhone: true,
    cell: (customer) => (
      <>
        <Link
          to="/customers/$id"
          params={{ id: customer.id }}
          search={listSearch}
          preload={false}
          className="font-medium hover:underline"
        >
          {customerName(customer)}
        </Link>
        <span className="block truncate text-xs text-secondary md:hidden">
          {customer.phone === null ? customer.email : formatPhone(customer.phone)}
        </span>
      </>
    ),
  },
  {
    key: 'phone',
    label: 'Phone',
    width: '9.5rem',
    cell: ({ phone }) => <span className="numeric">{phone && formatPhone(phone)}</span>,
  },
  {
    key: 'spent',
    label: 'Spent',
    width: '8rem',
    sortBy: 'total_spent',
    isNumber: true,
    isOnPhone: true,
    cell: ({ total_spent, currency }) => (currency ? money(total_spent, currency) : ''),
  },
  {
    key: 'orders',
    label: 'Orders',
    width: '6rem',
    sortBy: 'total_orders',
    isNumber: true,
    cell: ({ total_orders }) => <span className={total_orders === 0 ? 'text-faint' : ''}>{count(total_orders)}</span>,
  },
  {
    key: 'last_order',
    label: 'Last order',
    width: '7.5rem',
    sortBy: 'last_order_at',
    isNumber: true,
    cell: ({ last_order_at }) => last_order_at && <RelativeTime time={last_order_at} />,
  },
  { key: 'email', label: 'Email', cell: ({ email }) => <span className="text-secondary">{email}</span> },
  { key: 'tags', label: 'Tags', cell: ({ tags }) => <span className="text-secondary">{tags.join(', ')}</span> },
  {
    key: 'created',
    label: 'Created',
    width: '7.5rem',
    sortBy: 'created_at',
    isNumber: true,
    isExtra: true,
    cell: ({ created_at }) => <RelativeTime time={created_at} />,
  },
];

/** Orders change the statistics of their customer. */
const changes = [
  'customerCreated',
  'customerUpdated',
  'customerMerged',
  'customerDeleted',
  'orderCreated',
  'orderStatusChanged',
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
  const can = useCan();
  const search = listSearch(useSearch({ from: '/shell/customers' }));
  const openId = useParams({ strict: false }).id;
  const hasPanel = useChildMatches().length > 0;
  const navigate = useNavigate();
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: next.search !== search.search });
  const filters = filtersWith(useTagNames());
  const input = search as CustomersListInput;
  const list = useList(keys.customers.list(search), async (client, page, signal) => {
    const { customers, pagination } = await client.customers.list({ ...input, ...page }, { signal });
    return { rows: customers, total: pagination.total };
  });
  const selection = useSelection(list.identity);
  useLive(changes, keys.customers.lists, keys.customers.summaries, keys.customers.details, keys.customers.tags);
  const create = can('customers.create') && (
    <Button variant="primary" onClick={() => void navigate({ to: '/customers/new', search })}>
      <Icon icon={Plus} />
      New customer
    </Button>
  );
  return (
    <ResourceList
      title="Customers"
      names={['customer', 'customers']}
      icon={Users}
      list={list}
      columns={columns}
      rowName={customerName}
      search={search}
      onSearch={show}
      views={useSegmentViews()}
      viewList={viewList}
      filters={filters}
      placeholder={can('customers.view_sensitive') ? 'Search name, phone or email' : 'Search name or email'}
      sortedBy="created_at"
      openId={openId}
      onOpen={({ id }) => void navigate({ to: '/customers/$id', params: { id }, search })}
      detail={hasPanel && <Outlet />}
      exportFile={
        can('customers.export') &&
        ((client, format, signal) => client.customers.export({ ...input, format }, { signal }))
      }
      actions={create}
      selection={(can('customers.edit') || can('customers.merge')) && selection}
      selectionActions={<BulkActions selection={selection} />}
      empty={
        <EmptyState icon={Users} title="No customers yet" action={create}>
          The first order of a customer adds them here.
        </EmptyState>
      }
      onClear={() => show({})}
    />
  );
}

/** One for each segment, with its current number of customers. */
function useSegmentViews(): readonly View[] | undefined {
  const segments = useSegments();
  const all = useApi(keys.customers.total, (client) => client.customers.list({ per_page: 1 }));
  return (
    segments && [
      { label: 'All', search: {}, count: all.data?.pagination.total },
      ...segments.map(({ key, label, count: value }) => ({ label, search: { segment: key }, count: value })),
    ]
  );
}
