import type { ListedOrder } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { money } from '../../format/numbers.ts';
import { customerName } from '../../people/customer-name.ts';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';
import { OrderStatus } from '../orders/order-status.tsx';

export function RecentOrders() {
  const { data, error } = useApi(keys.orders.latest, (client) => client.orders.list({ per_page: 6 }));
  const all = (
    <Link to="/orders" className="text-sm text-accent underline-offset-4 hover:underline">
      All orders
    </Link>
  );
  return (
    <Section title="Recent orders" actions={all}>
      {data ? <OrderTable orders={data.orders} /> : <Loading error={error} className="h-60" />}
    </Section>
  );
}

function OrderTable({ orders }: { readonly orders: readonly ListedOrder[] }) {
  return (
    <Table caption="Recent orders">
      <thead>
        <tr>
          <HeaderCell>Order</HeaderCell>
          <HeaderCell>Customer</HeaderCell>
          <HeaderCell className="max-sm:hidden">Status</HeaderCell>
          <HeaderCell isNumber className="max-sm:pr-0">
            Total
          </HeaderCell>
          <HeaderCell isNumber className="max-sm:hidden">
            Placed
          </HeaderCell>
        </tr>
      </thead>
      <tbody>
        {orders.map(({ id, order_number, customer, status, total, currency, placed_at }) => (
          <tr key={id}>
            <Cell className="whitespace-nowrap">
              <Link to="/orders/$id" params={{ id }} className="numeric font-medium hover:underline">
                {order_number}
              </Link>
            </Cell>
            <Cell className="w-full max-w-0 truncate">{customerName(customer)}</Cell>
            <Cell className="max-sm:hidden">
              <OrderStatus status={status} />
            </Cell>
            <Cell isNumber className="whitespace-nowrap max-sm:pr-0">
              {money(total, currency)}
            </Cell>
            <Cell isNumber className="max-sm:hidden">
              <RelativeTime time={placed_at} />
            </Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
