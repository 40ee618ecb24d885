import type { OrderDetails } from '@chowk/client';
import { isPositive, remainingAmount } from '../../format/amount.ts';
import { listLeftToShip } from './order-units.ts';
import type { Status } from './status.ts';

export type OrderAction =
  | ('confirm' | 'process' | 'record_payment' | 'ship' | 'deliver' | 'reopen')
  | ('refund' | 'fail' | 'cancel' | 'delete');

interface ActionInfo {
  readonly label: string;
  readonly needs: string;
  readonly isPossible: (order: OrderDetails) => boolean;
  /** Changes the status at once. The other actions ask something first. */
  readonly status?: Status;
  /** Takes something away, so that it is only in the menu. */
  readonly isDestructive?: true;
}

const leadsTo =
  (status: Status) =>
  ({ next_statuses }: OrderDetails) =>
    next_statuses.includes(status);

/** In the order of the menu. */
export const orderActions: Readonly<Record<OrderAction, ActionInfo>> = {
  confirm: { label: 'Confirm', needs: 'orders.edit', isPossible: leadsTo('confirmed'), status: 'confirmed' },
  process: { label: 'Process', needs: 'orders.edit', isPossible: leadsTo('processing'), status: 'processing' },
  record_payment: { label: 'Record payment', needs: 'orders.edit', isPossible: takesPayments },
  ship: {
    label: 'Ship items',
    needs: 'orders.edit',
    isPossible: (order) => leadsTo('shipped')(order) && listLeftToShip(order).length > 0,
  },
  deliver: { label: 'Mark as delivered', needs: 'orders.edit', isPossible: leadsTo('delivered'), status: 'delivered' },
  reopen: { label: 'Back to pending', needs: 'orders.edit', isPossible: leadsTo('pending'), status: 'pending' },
  refund: { label: 'Refund', needs: 'orders.refund', isPossible: canBeRefunded, isDestructive: true },
  fail: { label: 'Mark as failed', needs: 'orders.edit', isPossible: leadsTo('failed'), isDestructive: true },
  cancel: { label: 'Cancel order', needs: 'orders.cancel', isPossible: leadsTo('cancelled'), isDestructive: true },
  delete: { label: 'Delete order', needs: 'orders.delete', isPossible: () => true, isDestructive: true },
};

const usualSteps: Readonly<Partial<Record<Status, readonly OrderAction[]>>> = {
  pending: ['confirm'],
  confirmed: ['record_payment', 'ship'],
  processing: ['record_payment', 'ship'],
  shipped: ['deliver'],
  delivered: ['record_payment'],
  failed: ['reopen'],
};

type Can = (permission: string) => boolean;

export function listActions(order: OrderDetails, can: Can): readonly OrderAction[] {
  const all = Object.keys(orderActions) as readonly OrderAction[];
  return all.filter((action) => can(orderActions[action].needs) && orderActions[action].isPossible(order));
}

/** What most users do next with an order in this state. It never takes anything away. */
export function findNextStep(order: OrderDetails, can: Can): OrderAction | undefined {
  const possible = listActions(order, can);
  return usualSteps[order.status]?.find(
    (action) => possible.includes(action) && !(action === 'record_payment' && isPaidOnDelivery(order)),
  );
}

function isPaidOnDelivery({ payment_method, status }: OrderDetails): boolean {
  return payment_method === 'cash_on_delivery' && status !== 'delivered';
}

function takesPayments({ status, due_total }: OrderDetails): boolean {
  return isPositive(due_total) && !['cancelled', 'failed', 'refunded'].includes(status);
}

/** An order without a price can become refunded. */
function canBeRefunded(order: OrderDetails): boolean {
  return isPositive(remainingAmount(order)) || order.next_statuses.includes('refunded');
}
