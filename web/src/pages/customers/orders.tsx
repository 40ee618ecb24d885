import type { CustomerDetail, OrderDetails } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { money } from '../../format/numbers.ts';
import { Button } from '../../ui/button.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { itemsText } from '../orders/order-list.ts';
import { OrderStatus } from '../orders/order-status.tsx';
import type { Status } from '../orders/status.ts';

const step = 20;
const maxSize = 100;

/** The orders of the customer, newest first. */
export function Orders({ customer: { id } }: { readonly customer: CustomerDetail }) {
  const [size, setSize] = useState(step);
  const { data, error } = useApi(keys.customers.orders(id, size), (client) =>
    client.customers.listOrders({ id, per_page: size }),
  );
  if (!data && error) return <ReadError error={error} />;
  if (!data) return <Skeleton className="h-40 w-full" />;
  const total = 'total' in data.pagination ? data.pagination.total : data.orders.length;
  if (total === 0) return <p className="py-4 text-secondary">No orders yet.</p>;
  return (
    <div className="grid gap-3">
      <Table caption="Orders">
        <thead>
          <tr>
            <HeaderCell>Order</HeaderCell>
            <HeaderCell className="max-sm:hidden">Items</HeaderCell>
            <HeaderCell>Status</HeaderCell>
            <HeaderCell isNumber>Total</HeaderCell>
            <HeaderCell isNumber>Placed</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {data.orders.map((order) => (
            <tr key={order.id}>
              <Cell className="numeric font-medium whitespace-nowrap">
                <OrderLink id={order.id}>{order.order_number}</OrderLink>
              </Cell>
              <Cell className="w-full max-w-0 truncate text-secondary max-sm:hidden">
                {itemsText(order.items as OrderDetails['items'])}
              </Cell>
              <Cell>
                <OrderStatus status={order.status as Status} />
              </Cell>
              <Cell isNumber className="whitespace-nowrap">
                {money(order.total, order.currency)}
              </Cell>
              <Cell isNumber>
                <RelativeTime time={order.placed_at} />
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
      {size < total && size < maxSize && (
        <Button className="justify-self-start" onClick={() => setSize(Math.min(size + 2 * step, maxSize))}>
          Show more
        </Button>
      )}
      {size >= maxSize && total > maxSize && (
        <Link
          to="/orders"
          search={{ customer_id: id }}
          className="justify-self-start text-accent underline underline-offset-4"
        >
          Show all {total} orders
        </Link>
      )}
    </div>
  );
}

export function OrderLink({ id, children }: { readonly id: string; readonly children: string }) {
  return (
    <Link to="/orders/$id" params={{ id }} className="hover:underline">
      {children}
    </Link>
  );
}
