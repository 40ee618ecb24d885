import type { Order } from '@chowk/client';
import { Store } from 'lucide-react';
import { useApi, useCan } from '../../api-query.ts';
import { count, money } from '../../format.ts';
import { useTenant } from '../../session.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StatusPill, type Tone } from '../../ui/status-pill.tsx';
import { Cell, HeaderCell, Table } from '../../ui/table.tsx';

const tones: Readonly<Record<Order['status'], Tone>> = {
  pending: 'warning',
  confirmed: 'info',
  processing: 'info',
  shipped: 'info',
  delivered: 'success',
  cancelled: 'neutral',
  failed: 'error',
  refunded: 'neutral',
};
const waiting = ['pending', 'confirmed', 'processing'] as const;

/** How business is, and what needs attention. */
export function HomePage() {
  const can = useCan();
  const sees = { orders: can('orders.view'), customers: can('customers.view'), talks: can('conversations.view') };
  const orders = useApi(['orders', 'counts'], (client) => client.orders.countByStatus(), sees.orders);
  const recent = useApi(['orders', 'recent'], (client) => client.orders.list({ per_page: 10 }), sees.orders);
  const segments = useApi(['segments'], (client) => client.customers.listSegments(), sees.customers);
  const customers = useApi(['customers', 'total'], (client) => client.customers.list({ per_page: 1 }), sees.customers);
  const talks = useApi(['conversations', 'counts'], (client) => client.conversations.count(), sees.talks);
  const counts = orders.data?.counts;
  const segmentCount = (key: string) => segments.data?.segments.find((one) => one.key === key)?.count;
  const isEmpty = orders.data?.total === 0 && customers.data?.pagination.total === 0;
  return (
    <Page title="Home">
      {isEmpty ? (
        <FirstSteps />
      ) : (
        <>
          <dl className="grid grid-cols-2 gap-y-6 border-y border-line py-5 md:grid-cols-4 md:divide-x md:divide-line">
            {sees.orders && (
              <Figure label="Orders to handle" value={counts && waiting.reduce((sum, key) => sum + counts[key], 0)} />
            )}
            {sees.talks && <Figure label="Open conversations" value={talks.data?.counts.open} />}
            {sees.customers && <Figure label="Customers" value={customers.data?.pagination.total} />}
            {sees.customers && <Figure label="At risk" value={segmentCount('at_risk')} />}
          </dl>
          <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_17rem] lg:gap-12">
            {sees.orders && (
              <Section title="Recent orders">
                <RecentOrders orders={recent.data?.orders} />
              </Section>
            )}
            <div className="grid gap-8">
              {sees.orders && (
                <Section title="Orders by status">
                  <Bars rows={counts && Object.entries(counts).map(([key, value]) => ({ key, label: key, value }))} />
                </Section>
              )}
              {sees.customers && (
                <Section title="Customers by segment">
                  <Bars rows={segments.data?.segments.map(({ key, label, count: value }) => ({ key, label, value }))} />
                </Section>
              )}
            </div>
          </div>
        </>
      )}
    </Page>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: number | undefined }) {
  return (
    <div className="grid gap-1 md:px-6 md:first:pl-0">
      <dt className="text-sm text-secondary">{label}</dt>
      <dd className="numeric text-2xl font-semibold tracking-tight">
        {value === undefined ? <Skeleton className="my-1.5 h-6 w-16" /> : count(value)}
      </dd>
    </div>
  );
}

function RecentOrders({ orders }: { readonly orders: readonly Order[] | undefined }) {
  if (!orders) return <Skeleton className="h-72 w-full" />;
  if (orders.length === 0) return <p className="text-secondary">No orders yet.</p>;
  return (
    <Table caption="Recent orders">
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
        {orders.map(({ id, order_number, items, status, total, currency, placed_at }) => (
          <tr key={id}>
            <Cell className="numeric font-medium whitespace-nowrap">{order_number}</Cell>
            <Cell className="w-full max-w-0 truncate text-secondary max-sm:hidden">
              {items.map(({ name, quantity }) => (quantity === 1 ? name : `${quantity} × ${name}`)).join(', ')}
            </Cell>
            <Cell>
              <StatusPill tone={tones[status]}>{capitalized(status)}</StatusPill>
            </Cell>
            <Cell isNumber className="whitespace-nowrap">
              {money(total, currency)}
            </Cell>
            <Cell isNumber>
              <RelativeTime time={placed_at} />
            </Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

interface Bar {
  readonly key: string;
  readonly label: string;
  readonly value: number;
}

function Bars({ rows }: { readonly rows: readonly Bar[] | undefined }) {
  if (!rows) return <Skeleton className="h-44 w-full" />;
  const most = Math.max(1, ...rows.map(({ value }) => value));
  return (
    <ul className="grid">
      {rows.map(({ key, label, value }) => (
        <li key={key} className="grid h-8 grid-cols-[8.5rem_1fr_auto] items-center gap-3 text-sm">
          <span className={`truncate ${value === 0 ? 'text-faint' : ''}`}>{capitalized(label)}</span>
          <meter className="bar" min={0} max={most} value={value} aria-label={`${label}: ${value}`} />
          <span className={`numeric ${value === 0 ? 'text-faint' : 'font-medium'}`}>{count(value)}</span>
        </li>
      ))}
    </ul>
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function FirstSteps() {
  const tenant = useTenant() ?? location.hostname.split('.')[0];
  return (
    <div className="grid gap-6 border-y border-line py-6">
      <EmptyState icon={<Store size={20} strokeWidth={1.5} aria-hidden />} title="Your shop is ready">
        As soon as there are customers and orders, this page shows how business is and what needs you.
      </EmptyState>
      <ol className="mx-auto grid w-full max-w-xl gap-4 pb-4">
        <li>
          <h3 className="font-medium">Look around with demo data</h3>
          <p className="text-secondary">In the folder of the platform, run</p>
          <code className="mt-1 block overflow-x-auto rounded-control bg-sunken px-3 py-2 text-sm">
            ./chowkd demo:seed --tenant={tenant}
          </code>
        </li>
        <li>
          <h3 className="font-medium">Create the first order from your shop</h3>
          <p className="text-secondary">
            The{' '}
            <a href="/docs/" className="text-accent underline underline-offset-4">
              API reference
            </a>{' '}
            has an example for every action.
          </p>
        </li>
      </ol>
    </div>
  );
}
