import type { ListedOrder } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { money } from '../../format/numbers.ts';
import type { Column } from '../../list/data-table.tsx';
import { customerName } from '../../people/customer-name.ts';
import { useIsNarrow } from '../../screen/narrow.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { PaymentBadge, ShipmentBadge } from './order-badges.tsx';
import { itemsText } from './order-list.ts';
import { OrderStatus } from './order-status.tsx';

/** Beside an open order there is room for the most important ones. */
export function useOrderColumns(isBesideOrder: boolean): readonly Column<ListedOrder>[] {
  const isNarrow = useIsNarrow();
  const number = useMemo(() => numberColumn(isNarrow, isBesideOrder), [isNarrow, isBesideOrder]);
  return [number, ...columns.filter(({ isWide }) => !isBesideOrder || !isWide)];
}

function numberColumn(isNarrow: boolean, isBesideOrder: boolean): Column<ListedOrder> {
  return {
    key: 'order',
    label: 'Order',
    sortBy: 'order_number',
    isOnPhone: true,
    ...(isNarrow ? {} : { width: isBesideOrder ? '7rem' : '9rem' }),
    cell: ({ id, order_number, customer, status }) => (
      <>
        <span className="flex items-center gap-2">
          <Link
            to="/orders/$id"
            params={{ id }}
            search={(search) => search}
            className="numeric truncate font-medium hover:underline"
          >
            {order_number}
          </Link>
          {isNarrow && <OrderStatus status={status} />}
        </span>
        {isNarrow && <div className="truncate text-xs text-secondary">{customerName(customer)}</div>}
      </>
    ),
  };
}

const columns: readonly (Column<ListedOrder> & { readonly isWide?: boolean })[] = [
  // Where there is no room, the last ones leave first.
  {
    key: 'status',
    label: 'Status',
    width: '7.5rem',
    cell: ({ status }) => <OrderStatus status={status} />,
  },
  { key: 'customer', label: 'Customer', cell: ({ customer }) => customerName(customer) },
  {
    key: 'items',
    label: 'Items',
    isWide: true,
    cell: ({ items }) => <span className="text-secondary">{itemsText(items)}</span>,
  },
  {
    key: 'total',
    label: 'Total',
    width: '8rem',
    sortBy: 'total',
    isNumber: true,
    isOnPhone: true,
    cell: ({ total, currency }) => money(total, currency),
  },
  {
    key: 'placed',
    label: 'Placed',
    width: '7rem',
    sortBy: 'placed_at',
    isNumber: true,
    isWide: true,
    cell: ({ placed_at }) => <RelativeTime time={placed_at} />,
  },
  {
    key: 'payment',
    label: 'Payment',
    width: '7.5rem',
    isWide: true,
    cell: (order) => <PaymentBadge order={order} />,
  },
  {
    key: 'shipment',
    label: 'Shipment',
    width: '8.5rem',
    isWide: true,
    cell: (order) => <ShipmentBadge order={order} />,
  },
  {
    key: 'refunded',
    label: 'Refunded',
    width: '8rem',
    isNumber: true,
    isExtra: true,
    isWide: true,
    cell: ({ refunded_total, currency }) => refunded_total !== '0.00' && money(refunded_total, currency),
  },
  {
    key: 'city',
    label: 'City',
    width: '9rem',
    isExtra: true,
    isWide: true,
    cell: ({ shipping_address }) => <span className="text-secondary">{shipping_address?.city}</span>,
  },
  {
    key: 'note',
    label: 'Note',
    isExtra: true,
    isWide: true,
    cell: ({ note }) => <span className="text-secondary">{note}</span>,
  },
  {
    key: 'updated',
    label: 'Updated',
    width: '7rem',
    sortBy: 'updated_at',
    isNumber: true,
    isExtra: true,
    isWide: true,
    cell: ({ updated_at }) => <RelativeTime time={updated_at} />,
  },
];
