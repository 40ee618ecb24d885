import type { Conversation, CustomerDetail, CustomerOrder, OrderDetails } from '@chowk/client';
import { Link } from '@tanstack/react-router';
import { History, type LucideIcon, MessageSquare, ReceiptText } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ChangeSentence } from '../../activity/change-sentence.tsx';
import { readChanges } from '../../activity/read-changes.ts';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { money } from '../../format/numbers.ts';
import { dayHeading, exactTime, timeOfDay } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { itemsText } from '../orders/order-list.ts';
import { OrderStatus } from '../orders/order-status.tsx';
import type { Status } from '../orders/status.ts';
import { OrderLink } from './orders.tsx';
import { combine, type TimelineEntry } from './timeline-entries.ts';

const step = 20;
const maxSize = 100;
const nothing = { items: [], hasMore: false };

/** Orders, messages and changes, newest first; of these, what the user may see. */
export function Timeline({ customer }: { readonly customer: CustomerDetail }) {
  const { id } = customer;
  const can = useCan();
  const [size, setSize] = useState(step);
  const orders = useApi(keys.customers.orders(id, size), (client) =>
    client.customers.listOrders({ id, per_page: size }),
  );
  const conversations = useApi(
    keys.customers.conversations(id, size),
    (client) => client.conversations.list({ customer_id: id, per_page: size }),
    can('conversations.view'),
  );
  const changes = useApi(
    keys.customers.changes(id, size),
    (client) => readChanges(client, can, { resource: 'customers', resource_id: id, outcome: 'ok', per_page: size }),
    can('audit.view'),
  );
  const sources = [orders, conversations, changes];
  const error = sources.find(({ data, error }) => error && !data)?.error;
  if (error) return <ReadError error={error} />;
  if (sources.some(({ isLoading }) => isLoading)) return <Skeleton className="h-60 w-full" />;
  const { items, hasMore } = combine({
    customer,
    orders: orders.data ? toSource(orders.data.orders, orders.data.pagination) : nothing,
    conversations: conversations.data
      ? toSource(conversations.data.conversations, conversations.data.pagination)
      : nothing,
    changes: changes.data ? toSource(changes.data.changes, changes.data) : nothing,
  });
  const days = Map.groupBy(items, ({ at }) => dayHeading(at));
  return (
    <div className="grid min-w-0 gap-5">
      {[...days].map(([day, entries]) => (
        <section key={day} className="grid min-w-0 gap-1">
          <h2 className="text-xs font-medium text-faint">{day}</h2>
          <ul className="grid min-w-0">
            {entries.map((entry) => (
              <Entry key={entry.kind + entry.id} entry={entry} />
            ))}
          </ul>
        </section>
      ))}
      {hasMore && size < maxSize && (
        <Button className="justify-self-start" onClick={() => setSize(Math.min(size + 2 * step, maxSize))}>
          Show older
        </Button>
      )}
    </div>
  );
}

function toSource<Item>(items: readonly Item[], pagination: { readonly total?: number } | object) {
  return { items, hasMore: 'total' in pagination && Number(pagination.total) > items.length };
}

function Entry({ entry }: { readonly entry: TimelineEntry }) {
  if (entry.kind === 'order') {
    return (
      <Row at={entry.at} icon={ReceiptText}>
        <OrderLine order={entry.order} />
      </Row>
    );
  }
  if (entry.kind === 'message') {
    return (
      <Row at={entry.at} icon={MessageSquare}>
        <MessageLine conversation={entry.conversation} />
      </Row>
    );
  }
  return (
    <Row at={entry.at} icon={History}>
      {entry.kind === 'created' ? (
        'Customer created'
      ) : (
        <ChangeSentence change={entry.change} thisThing="this customer" />
      )}
    </Row>
  );
}

interface RowProps {
  readonly at: string;
  readonly icon: LucideIcon;
  readonly children: ReactNode;
}

function Row({ at, icon, children }: RowProps) {
  return (
    <li className="flex min-w-0 gap-3 border-b border-line py-2.5 last:border-0">
      <span className="mt-0.5 shrink-0 text-secondary">
        <Icon icon={icon} />
      </span>
      <div className="min-w-0 flex-1">{children}</div>
      <time dateTime={at} title={exactTime(at)} className="numeric shrink-0 text-sm text-faint">
        {timeOfDay(at)}
      </time>
    </li>
  );
}

function OrderLine({ order }: { readonly order: CustomerOrder }) {
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
        <span className="font-medium">
          <OrderLink id={order.id}>{`Order ${order.order_number}`}</OrderLink>
        </span>
        <span className="numeric">{money(order.total, order.currency)}</span>
        <OrderStatus status={order.status as Status} />
      </div>
      <p className="truncate text-sm text-secondary">{itemsText(order.items as OrderDetails['items'])}</p>
    </>
  );
}

const directions = { inbound: 'From the customer', outbound: 'Reply', note: 'Note' };

function MessageLine({ conversation: { id, subject, last_message } }: { readonly conversation: Conversation }) {
  return (
    <>
      <Link to="/conversations/$id" params={{ id }} className="block min-w-0 truncate font-medium hover:underline">
        {subject || 'No subject'}
      </Link>
      {last_message && (
        <p className="truncate text-sm text-secondary">
          {directions[last_message.direction]}: {last_message.excerpt}
        </p>
      )}
    </>
  );
}
