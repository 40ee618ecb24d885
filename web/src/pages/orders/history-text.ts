import type { OrderDetails, OrderHistoryEntry, OrderPayment, Shipment } from '@chowk/client';
import { money } from '../../format/numbers.ts';
import { describeMethod } from './payment-method.ts';
import { statuses } from './status.ts';

type Entry = Pick<OrderHistoryEntry, 'status' | 'previous_status' | 'refunded' | 'changes'>;
type Change = readonly unknown[];

/** What has happened, in a few words. */
export function historyText(
  { status, previous_status, refunded, changes }: Entry,
  { currency, shipments }: Pick<OrderDetails, 'currency' | 'shipments'>,
): string {
  const { payments, shipments: parcels, paid_total, ...edits } = changes ?? {};
  const isChange = previous_status !== null && previous_status !== status;
  return [
    previous_status === null ? [`Created as ${statuses[status].label.toLowerCase()}`] : [],
    isChange ? [`${statuses[previous_status].label} → ${statuses[status].label}`] : [],
    refunded !== null && refunded !== '0.00' ? [`${money(refunded, currency)} refunded`] : [],
    payments ? paymentTexts(payments, currency) : [],
    parcels ? parcelTexts(parcels, shipments) : [],
    // The payments say it already.
    Object.entries({ ...edits, ...(paid_total && !payments && { paid_total }) }).map(([field, change]) =>
      editText(field, change, currency),
    ),
  ]
    .flat()
    .join(', ');
}

const outcomes = { succeeded: 'received', pending: 'is pending', failed: 'has failed' };

function paymentTexts([, after]: Change, currency: string): readonly string[] {
  const payments = after as readonly Pick<OrderPayment, 'method' | 'amount' | 'status'>[];
  return payments.map(({ method, amount, status }) => {
    return `${describeMethod({ method, provider: null })} payment of ${money(amount, currency)} ${outcomes[status]}`;
  });
}

function parcelTexts([, after]: Change, shipments: OrderDetails['shipments']): readonly string[] {
  const changed = after as readonly Pick<Shipment, 'id' | 'status'>[];
  return changed.map(({ id, status }) => `Parcel ${shipments.findIndex((one) => one.id === id) + 1} ${status}`);
}

const labels: Readonly<Record<string, string>> = { paid_total: 'Amount paid', refunded_total: 'Amount refunded' };

function editText(field: string, [before, after]: Change, currency: string): string {
  if (field === 'items') return 'Items changed';
  if (field === 'placed_at') return 'Date changed';
  const label = labels[field] ?? 'Total';
  return `${label} changed from ${money(String(before), currency)} to ${money(String(after), currency)}`;
}
