import type { ListedOrder } from '@chowk/client';
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Plus, ReceiptText } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { ResourceList } from '../../list/resource-list.tsx';
import { useSelection } from '../../list/selection.ts';
import { useList } from '../../list/use-list.ts';
import type { View } from '../../list/views.tsx';
import { customerName } from '../../people/customer-name.ts';
import type { Search } from '../../routing/search-params.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { BulkStatus } from './bulk-status.tsx';
import { DraftsLink } from './drafts-link.tsx';
import { useLiveOrders } from './live-orders.ts';
import { useOrderColumns } from './order-columns.tsx';
import { filters, listInput, statusFilter, viewList } from './order-list.ts';
import { allStatuses, statuses, waiting } from './status.ts';
import { StatusDialog } from './status-dialog.tsx';

/** All orders, and the one that is open beside them. */
export function OrdersPage() {
  return (
    <Needs permission="orders.view">
      <Orders />
    </Needs>
  );
}

function Orders() {
  const search: Search = useSearch({ from: '/shell/orders' });
  const openId = useParams({ strict: false }).id;
  const navigate = useNavigate();
  const can = useCan();
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: next.search !== search.search });
  const list = useList(keys.orders.list(search), async (client, page) => {
    const { orders, pagination } = await client.orders.list({ ...listInput(search), ...page });
    return { rows: orders, total: pagination.total };
  });
  const selection = useSelection(list.identity);
  const columns = useOrderColumns(openId !== undefined);
  const [changing, setChanging] = useState<string>();
  useLiveOrders(keys.orders.all);
  const canChange = can('orders.edit') || can('orders.cancel') || can('orders.refund');
  const changeFocused = () => setChanging(focusedOrder(list.rowAt)?.id ?? openId);
  useKeys([
    ...(canChange ? [{ key: 's', label: 'Change the status of the order', run: changeFocused }] : []),
    ...(can('orders.create')
      ? [{ key: 'n', label: 'New order', run: () => void navigate({ to: '/orders/new' }) }]
      : []),
  ]);
  const views = useStatusViews();
  return (
    <>
      <ResourceList
        title="Orders"
        names={['order', 'orders']}
        icon={ReceiptText}
        list={list}
        columns={columns}
        rowName={({ order_number }) => `order ${order_number}`}
        search={search}
        onSearch={show}
        views={views}
        viewList={viewList}
        filters={useFilters(search, views)}
        placeholder="Search number, customer or item"
        sortedBy="placed_at"
        openId={openId}
        onOpen={({ id }) => void navigate({ to: '/orders/$id', params: { id }, search })}
        detail={openId !== undefined && <Outlet />}
        exportFile={
          can('orders.export') &&
          ((client, format, signal) => client.orders.export({ ...listInput(search), format }, { signal }))
        }
        actions={
          can('orders.create') && (
            <>
              <DraftsLink />
              <NewOrderButton />
            </>
          )
        }
        selection={can('orders.edit') && selection}
        selectionActions={<BulkStatus selection={selection} />}
        empty={
          <EmptyState icon={ReceiptText} title="No orders yet" action={can('orders.create') && <NewOrderButton />}>
            Orders from your website appear here as they come in. You can also enter one yourself.
          </EmptyState>
        }
        onClear={() => void navigate({ to: '/orders' })}
      />
      <StatusDialog id={changing} onClose={() => setChanging(undefined)} />
    </>
  );
}

/** The order in the row that has the focus. */
function focusedOrder(rowAt: (index: number) => ListedOrder | undefined): ListedOrder | undefined {
  const index = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row;
  return index === undefined ? undefined : rowAt(Number(index));
}

function useStatusViews(): readonly View[] {
  const { data } = useApi(keys.orders.counts, (client) => client.orders.countByStatus());
  const toDo = data && waiting.reduce((sum, status) => sum + data.counts[status], 0);
  return [
    { label: 'All', search: {}, count: data?.total },
    { label: 'To do', search: { status: waiting.join(',') }, count: toDo },
    ...allStatuses.map((status) => {
      return { label: statuses[status].label, search: { status }, count: data?.counts[status] };
    }),
  ];
}

/** The status is the tab, unless other filters are set too; a customer is a filter if the address has one. */
function useFilters(search: Search, views: readonly View[]) {
  const { status, customer_id: id } = search;
  const can = useCan();
  const isKnown = id !== undefined && can('customers.view');
  const { data } = useApi(keys.customers.detail(id), (client) => client.customers.get({ id: id as string }), isKnown);
  const isTab =
    Object.keys(search).every((key) => key === 'status') && views.some((view) => view.search.status === status);
  const several = status?.includes(',') ? [[status, status.split(',').join(', ')] as const] : [];
  const byStatus = { ...statusFilter, options: [...several, ...(statusFilter.options ?? [])] };
  const name = data ? customerName(data.customer) : 'One customer';
  const byCustomer = { key: 'customer_id', label: 'Customer', options: [[id ?? '', name] as const] };
  return [...(isTab ? [] : [byStatus]), ...filters, ...(id === undefined ? [] : [byCustomer])];
}

function NewOrderButton() {
  const navigate = useNavigate();
  return (
    <Button variant="primary" onClick={() => void navigate({ to: '/orders/new' })}>
      <Icon icon={Plus} />
      New order
    </Button>
  );
}
