import type { ListedOrder, OrdersListInput } from '@chowk/client';
import type { Filter } from '../../list/filters.tsx';
import type { ViewList } from '../../list/view-filters.ts';
import type { Search } from '../../routing/search-params.ts';
import { allStatuses, type Status, statuses } from './status.ts';

export const statusFilter: Filter = {
  key: 'status',
  label: 'Status',
  options: allStatuses.map((status) => [status, statuses[status].label] as const),
};

export const filters: readonly Filter[] = [
  { key: 'placed_from', label: 'Placed from', type: 'date', until: 'placed_to' },
  { key: 'placed_to', label: 'Placed until', type: 'date' },
  { key: 'min_total', label: 'Total at least', type: 'number' },
  { key: 'max_total', label: 'Total at most', type: 'number' },
];

/** What the address of the list can have. */
export const searchKeys: readonly string[] = [
  'search',
  'status',
  'customer_id',
  'sort_by',
  'sort_order',
  ...filters.map(({ key }) => key),
];

export const viewList: ViewList = { action: 'orders.list', fields: searchKeys, types: { status: 'list' } };

/** The address as the input of the list and of its export. */
export function listInput({ status, ...rest }: Search): OrdersListInput {
  return { ...rest, ...(status === undefined ? {} : { status: status.split(',') as Status[] }) } as OrdersListInput;
}

/** The items in one line: `2 × Tea, Rice`. */
export function itemsText(items: readonly Pick<ListedOrder['items'][number], 'name' | 'quantity'>[]): string {
  return items.map(({ name, quantity }) => (quantity === 1 ? name : `${quantity} × ${name}`)).join(', ');
}
