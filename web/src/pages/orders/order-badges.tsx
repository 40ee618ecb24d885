import type { Order } from '@chowk/client';
import { StatusPill, type Tone } from '../../ui/status-pill.tsx';

type Labels<Value extends string> = Readonly<Record<Value, readonly [tone: Tone, label: string]>>;

const payment: Labels<Order['payment_status']> = {
  unpaid: ['warning', 'Unpaid'],
  partly_paid: ['warning', 'Partly paid'],
  paid: ['success', 'Paid'],
  refunded: ['neutral', 'Refunded'],
};

const fulfillment: Labels<Order['fulfillment_status']> = {
  unfulfilled: ['neutral', 'Not shipped'],
  partly_fulfilled: ['info', 'Partly shipped'],
  fulfilled: ['info', 'Shipped'],
};
const delivered = ['success', 'Delivered'] as const;

/** Nobody has to pay an order that is cancelled or has failed. */
const closed: readonly Order['status'][] = ['cancelled', 'failed'];

export function PaymentBadge({ order }: { readonly order: Pick<Order, 'payment_status' | 'status'> }) {
  const [tone, label] = payment[order.payment_status];
  return <StatusPill tone={closed.includes(order.status) && tone === 'warning' ? 'neutral' : tone}>{label}</StatusPill>;
}

export function ShipmentBadge({ order }: { readonly order: Pick<Order, 'fulfillment_status' | 'status'> }) {
  const [tone, label] = order.status === 'delivered' ? delivered : fulfillment[order.fulfillment_status];
  return <StatusPill tone={tone}>{label}</StatusPill>;
}
