import type { DraftOrder } from '@chowk/client';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowLeft, Plus, SquarePen } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { money } from '../../format/numbers.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { type Column, DataTable } from '../../list/data-table.tsx';
import { FilterBar } from '../../list/filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { NoMatch } from '../../list/no-match.tsx';
import { useList } from '../../list/use-list.ts';
import type { ViewList } from '../../list/view-filters.ts';
import { Views } from '../../list/views.tsx';
import { customerName } from '../../people/customer-name.ts';
import type { Search } from '../../routing/search-params.ts';
import { Needs } from '../../shell/needs.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { itemsText } from './order-list.ts';

/** Orders that are prepared and not placed yet. */
export function DraftsPage() {
  return (
    <Needs permission="orders.create">
      <Needs permission="orders.view">
        <Drafts />
      </Needs>
    </Needs>
  );
}

const views = [
  { label: 'Open', search: {} },
  { label: 'Placed', search: { is_placed: 'true' } },
];

const viewList: ViewList = {
  action: 'orders.listDrafts',
  fields: ['search', 'is_placed'],
  types: { is_placed: 'boolean' },
  defaults: { is_placed: 'false' },
};

function Drafts() {
  const search: Search = useSearch({ from: '/shell/orders/drafts' });
  const isPlaced = search.is_placed === 'true';
  const navigate = useNavigate();
  const list = useList(keys.orders.draftList(search), async (client, page) => {
    const { draft_orders, pagination } = await client.orders.listDrafts({
      is_placed: isPlaced,
      ...(search.search && { search: search.search }),
      ...page,
    });
    return { rows: draft_orders, total: 'total' in pagination ? pagination.total : draft_orders.length };
  });
  const show = (next: Search) => void navigate({ to: '.', search: next, replace: true });
  const create = () => void navigate({ to: '/orders/new' });
  useKeys([{ key: 'n', label: 'New order', run: create }]);
  const actions = (
    <>
      <Link
        to="/orders"
        className="inline-flex h-9 items-center gap-1.5 rounded-control px-3.5 font-medium text-secondary transition-colors hover:bg-sunken hover:text-text max-md:h-11"
      >
        <Icon icon={ArrowLeft} size={14} />
        Orders
      </Link>
      <Button variant="primary" onClick={create}>
        <Icon icon={Plus} />
        New order
      </Button>
    </>
  );
  return (
    <ListPage title="Drafts" actions={actions}>
      <Views name="drafts" list={viewList} views={views} search={search} onChange={show} />
      <FilterBar
        search={search}
        filters={[]}
        placeholder="Search customer, item or note"
        onChange={show}
        total={list.total}
      />
      <DataTable
        caption="Drafts"
        list={list}
        columns={columns}
        rowName={({ customer }) => `draft of ${draftName(customer)}`}
        onOpen={(draft) => void navigate(draftPage(draft))}
        empty={
          search.search !== undefined ? (
            <NoMatch
              icon={SquarePen}
              names={['draft', 'drafts']}
              onClear={() => show({ ...search, search: undefined })}
            />
          ) : isPlaced ? (
            <EmptyState icon={SquarePen} title="No placed drafts">
              Drafts that became orders appear here.
            </EmptyState>
          ) : (
            <EmptyState icon={SquarePen} title="No drafts">
              A draft keeps an order that is not settled yet. It reserves no stock. Start a new order and choose “Save
              as draft”.
            </EmptyState>
          )
        }
      />
    </ListPage>
  );
}

function draftName(customer: DraftOrder['customer']): string {
  return customer ? customerName(customer) : 'No customer yet';
}

/** A draft that was placed leads to its order. */
function draftPage({ id, order_id }: DraftOrder) {
  return order_id === null
    ? ({ to: '/orders/drafts/$id', params: { id } } as const)
    : ({ to: '/orders/$id', params: { id: order_id } } as const);
}

const columns: readonly Column<DraftOrder>[] = [
  {
    key: 'customer',
    label: 'Customer',
    isOnPhone: true,
    cell: (draft) => (
      <Link {...draftPage(draft)} className="block min-w-0 truncate font-medium hover:underline">
        {draftName(draft.customer)}
      </Link>
    ),
  },
  {
    key: 'items',
    label: 'Items',
    cell: ({ input }) => (
      <span className="text-secondary">
        {itemsText(input.items.map(({ name, sku, quantity }) => ({ name: name ?? sku ?? 'Product', quantity })))}
      </span>
    ),
  },
  { key: 'note', label: 'Note', cell: ({ input }) => <span className="text-secondary">{input.note}</span> },
  {
    key: 'total',
    label: 'Total',
    width: '8rem',
    isNumber: true,
    isOnPhone: true,
    cell: ({ total, currency }) => money(total, currency),
  },
  {
    key: 'saved',
    label: 'Saved',
    width: '7rem',
    isNumber: true,
    cell: ({ updated_at }) => <RelativeTime time={updated_at} />,
  },
];
