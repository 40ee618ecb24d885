import type { OrderCounts } from '@chowk/client';
import { Link, type LinkProps } from '@tanstack/react-router';
import { ChevronRight, CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { OrderStatus } from '../orders/order-status.tsx';
import { waiting } from '../orders/status.ts';

const steps = { pending: 'to confirm', confirmed: 'to process', processing: 'to ship' } as const;

interface WaitingProps {
  readonly counts: OrderCounts['counts'] | undefined;
  readonly error: Error | null;
  /** Without orders, it is only shown if something is waiting. */
  readonly isNew: boolean;
}

/** Orders and conversations that somebody has to take care of. */
export function Waiting({ counts, error, isNew }: WaitingProps) {
  const can = useCan();
  const isAgent = can('conversations.view');
  const conversations = useApi(keys.conversations.counts, (client) => client.conversations.count(), isAgent);
  const open = conversations.data?.counts.open;
  const isLoading = (can('orders.view') && !counts) || (isAgent && !conversations.data);
  const orders = counts ? waiting.filter((status) => counts[status] > 0) : [];
  if (isNew && !open) return null;
  return (
    <Section title="Waiting for you">
      {isLoading ? (
        <Loading error={error ?? conversations.error} className="h-32" />
      ) : orders.length === 0 && !open ? (
        <p className="flex items-center gap-2 text-secondary">
          <Icon icon={CircleCheck} className="text-success" />
          Nothing is waiting.
        </p>
      ) : (
        <ul className="grid border-t border-line">
          {orders.map((status) => (
            <Row key={status} count={counts?.[status] ?? 0} link={{ to: '/orders', search: { status } }}>
              {counts?.[status] === 1 ? 'Order' : 'Orders'} {steps[status as keyof typeof steps]}
              <OrderStatus status={status} />
            </Row>
          ))}
          {open !== undefined && open > 0 && (
            <Row count={open} link={{ to: '/conversations' }}>
              {open === 1 ? 'Open conversation' : 'Open conversations'}
            </Row>
          )}
        </ul>
      )}
    </Section>
  );
}

interface RowProps {
  readonly count: number;
  readonly link: LinkProps;
  readonly children: ReactNode;
}

function Row({ count: value, link, children }: RowProps) {
  return (
    <li className="border-b border-line">
      <Link {...link} className="flex min-h-11 items-center gap-3 hover:bg-sunken">
        <span className="numeric min-w-12 text-lg font-semibold">{count(value)}</span>
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3">{children}</span>
        <Icon icon={ChevronRight} className="text-faint" />
      </Link>
    </li>
  );
}
