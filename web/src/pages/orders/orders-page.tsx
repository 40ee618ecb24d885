import type { ListedOrder } from '@chowk/client';
import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Plus, ReceiptText } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { ColumnMenu, useColumns } from '../../list/column-choice.tsx';
import { DataTable } from '../../list/data-table.tsx';
import { ExportButton } from '../../list/export.tsx';
import { FilterBar } from '../../list/filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { NoMatch } from '../../list/no-match.tsx';
import { useSelection } from '../../list/selection.ts';
import { SelectionBar } from '../../list/selection-bar.tsx';
import { useList } from '../../list/use-list.ts';
import { type View, Views } from '../../list/views.tsx';
import { customerNameOf } from '../../people/customer-name.ts';
import type { Search } from '../../routing/search-params.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { BulkStatus } from './bulk-status.tsx';
import { useLiveOrders } from './live-orders.ts';
import { useOrderColumns } from './order-columns.tsx';
import { filters, inputOf, statusFilter } from './order-list.ts';
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
    const { orders, pagination } = await client.orders.list({ ...inputOf(search), ...page });
    return { rows: orders, total: pagination.total };
  });
  const selection = useSelection(list.identity);
  const { visible, choice } = useColumns('orders', useOrderColumns(openId !== undefined));
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
    <ListPage
      title="Orders"
      detail={openId !== undefined && <Outlet />}
      actions={
        <>
          {can('orders.export') && (
            <ExportButton
              name="orders"
              total={list.total}
              read={(client, format, signal) => client.orders.export({ ...inputOf(search), format }, { signal })}
            />
          )}
          {can('orders.create') && <NewOrderButton />}
        </>
      }
    >
      <Views name="orders" views={views} search={search} onChange={show} />
      <FilterBar
        search={search}
        filters={useFilters(search, views)}
        placeholder="Search number, customer or note"
        onChange={show}
        total={list.total}
      >
        <ColumnMenu choice={choice} />
      </FilterBar>
      <SelectionBar selection={selection}>{can('orders.edit') && <BulkStatus selection={selection} />}</SelectionBar>
      <DataTable
        caption="Orders"
        list={list}
        columns={visible}
        idOf={({ id }) => id}
        nameOf={({ order_number }) => `order ${order_number}`}
        openId={openId}
        onOpen={({ id }) => void navigate({ to: '/orders/$id', params: { id }, search })}
        sort={{ by: search.sort_by ?? 'placed_at', order: search.sort_order === 'asc' ? 'asc' : 'desc' }}
        onSort={({ by, order }) => show({ ...search, sort_by: by, sort_order: order })}
        {...(can('orders.edit') && { selection })}
        empty={<NoOrders isFiltered={Object.keys(search).length > 0} />}
      />
      <StatusDialog id={changing} onClose={() => setChanging(undefined)} />
    </ListPage>
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
  const name = data ? customerNameOf(data.customer) : 'One customer';
  const byCustomer = { key: 'customer_id', label: 'Customer', options: [[id ?? '', name] as const] };
  return [...(isTab ? [] : [byStatus]), ...filters, ...(id === undefined ? [] : [byCustomer])];
}

function NewOrderButton() {
  const navigate = useNavigate();
  return (
    <Button look="primary" onClick={() => void navigate({ to: '/orders/new' })}>
      <Icon icon={Plus} />
      New order
    </Button>
  );
}

function NoOrders({ isFiltered }: { readonly isFiltered: boolean }) {
  const can = useCan();
  const navigate = useNavigate();
  if (isFiltered) {
    return <NoMatch icon={ReceiptText} names={['order', 'orders']} onClear={() => void navigate({ to: '/orders' })} />;
  }
  return (
    <EmptyState icon={ReceiptText} title="No orders yet" action={can('orders.create') && <NewOrderButton />}>
      Orders from your shop appear here as they come in. You can also enter one yourself.
    </EmptyState>
  );
}
