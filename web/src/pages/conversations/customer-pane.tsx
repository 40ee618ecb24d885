import type { Conversation, CustomerDetail } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { count, money } from '../../format/numbers.ts';
import { customerName } from '../../people/customer-name.ts';
import { CustomerPhone } from '../../people/customer-phone.tsx';
import { useSegmentLabels } from '../../people/segments.ts';
import type { Search } from '../../routing/search-params.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { type Status as OrderStatus, statuses as orderStatuses } from '../orders/status.ts';
import { channels, statuses } from './conversation-list.ts';

/** What one needs to know of the customer while answering. */
export function CustomerPane({ conversation }: { readonly conversation: Conversation }) {
  const { customer_id: id, customer } = conversation;
  const can = useCan()('customers.view');
  const { data, isLoading } = useApi(
    keys.customers.detail(id),
    (client) => client.customers.get({ id }),
    can && !!customer,
  );
  const detail = data?.customer;
  return (
    <div className="grid grid-cols-1 content-start gap-6 p-4 md:p-6">
      <div className="grid grid-cols-1 gap-1">
        <h2 className="text-lg font-semibold break-words">
          {can && customer ? (
            <Link to="/customers/$id" params={{ id }} className="hover:underline">
              {customerName(customer)}
            </Link>
          ) : (
            customerName(customer)
          )}
        </h2>
        {customer?.email && (
          <a href={`mailto:${customer.email}`} className="break-all text-secondary hover:underline">
            {customer.email}
          </a>
        )}
        {customer?.phone && (
          <CustomerPhone key={customer.id} customerId={customer.id} phone={customer.phone} className="text-secondary" />
        )}
        {detail && <SegmentsAndTags customer={detail} />}
      </div>
      {isLoading && <Skeleton className="h-40 w-full" />}
      {detail && (
        <>
          <Numbers customer={detail} />
          <LastOrders customer={detail} />
        </>
      )}
      {customer && <OtherConversations conversation={conversation} />}
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="grid grid-cols-1 gap-2 border-t border-line pt-4">
      <h3 className="text-xs font-medium text-secondary">{title}</h3>
      {children}
    </section>
  );
}

function Numbers({ customer }: { readonly customer: CustomerDetail }) {
  const { total_orders, total_spent, avg_order_value, currency, last_order_at, created_at } = customer;
  const amount = (value: string) => (currency ? money(value, currency) : value);
  const spent: readonly (readonly [string, ReactNode])[] = [
    ['Spent', amount(total_spent)],
    ['Average order', amount(avg_order_value)],
    ['Last order', last_order_at && <RelativeTime key="last" time={last_order_at} />],
  ];
  const rows: readonly (readonly [string, ReactNode])[] = [
    ['Orders', count(total_orders)],
    ...(total_orders > 0 ? spent : []),
    ['Customer since', <RelativeTime key="since" time={created_at} />],
  ];
  return (
    <Part title="Lifetime">
      <dl className="grid gap-1 text-sm">
        {rows.map(([label, value]) => (
          <div key={label} className="flex justify-between gap-4">
            <dt className="text-secondary">{label}</dt>
            <dd className="numeric">{value}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

function LastOrders({ customer: { recent_orders: orders } }: { readonly customer: CustomerDetail }) {
  const canOpen = useCan()('orders.view');
  if (orders.length === 0) return null;
  return (
    <Part title="Last orders">
      <ul className="grid grid-cols-1 gap-2 text-sm">
        {orders.slice(0, 5).map(({ id, order_number, status, total, currency, placed_at }) => (
          <li key={id} className="grid grid-cols-[1fr_auto] gap-x-4">
            {canOpen ? (
              <Link to={`/orders/${id}` as '/orders'} className="font-medium hover:underline">
                {order_number}
              </Link>
            ) : (
              <span className="font-medium">{order_number}</span>
            )}
            <span className="numeric">{money(total, currency)}</span>
            <span className="text-secondary">{orderStatuses[status as OrderStatus].label}</span>
            <span className="text-right">
              <RelativeTime time={placed_at} />
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function SegmentsAndTags({ customer: { segments, tags } }: { readonly customer: CustomerDetail }) {
  const labels = useSegmentLabels(segments).map(({ label }) => label);
  if (segments.length + tags.length === 0) return null;
  return <p className="min-h-5 text-sm text-secondary">{[...labels, ...tags].join(', ')}</p>;
}

function OtherConversations({ conversation: { id, customer_id } }: { readonly conversation: Conversation }) {
  const { data } = useApi(keys.conversations.byCustomer(customer_id), (client) =>
    client.conversations.list({ customer_id, per_page: 6 }),
  );
  const others = data?.conversations.filter((one) => one.id !== id).slice(0, 5) ?? [];
  if (others.length === 0) return null;
  return (
    <Part title="Other conversations">
      <ul className="grid grid-cols-1 gap-2 text-sm">
        {others.map((one) => (
          <li key={one.id} className="flex items-center justify-between gap-3">
            <Link
              to="/conversations/$id"
              params={{ id: one.id }}
              search={({ pane: _, ...search }: Search) => search}
              className="min-w-0 truncate hover:underline"
            >
              {one.subject || one.last_message?.excerpt || channels[one.channel].label}
            </Link>
            <StatusPill tone={statuses[one.status].tone}>{statuses[one.status].label}</StatusPill>
          </li>
        ))}
      </ul>
    </Part>
  );
}
