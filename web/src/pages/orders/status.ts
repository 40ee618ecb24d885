import type { Order } from '@chowk/client';

export type Status = Order['status'];

interface StatusInfo {
  readonly label: string;
  /** On the button that leads to it. */
  readonly verb: string;
  /** Of the pill. */
  readonly tone: 'neutral' | 'info' | 'success' | 'warning' | 'error';
  /** As the API has it; a test compares them. */
  readonly next: readonly Status[];
}

export const statuses: Readonly<Record<Status, StatusInfo>> = {
  pending: {
    label: 'Pending',
    verb: 'Back to pending',
    tone: 'warning',
    next: ['confirmed', 'processing', 'shipped', 'delivered', 'cancelled', 'failed'],
  },
  confirmed: {
    label: 'Confirmed',
    verb: 'Confirm',
    tone: 'info',
    next: ['processing', 'shipped', 'delivered', 'cancelled', 'failed', 'refunded'],
  },
  processing: {
    label: 'Processing',
    verb: 'Process',
    tone: 'info',
    next: ['shipped', 'delivered', 'cancelled', 'failed', 'refunded'],
  },
  shipped: {
    label: 'Shipped',
    verb: 'Ship',
    tone: 'info',
    next: ['delivered', 'failed', 'refunded'],
  },
  delivered: { label: 'Delivered', verb: 'Deliver', tone: 'success', next: ['refunded'] },
  cancelled: { label: 'Cancelled', verb: 'Cancel order', tone: 'neutral', next: [] },
  failed: {
    label: 'Failed',
    verb: 'Mark as failed',
    tone: 'error',
    next: ['pending', 'confirmed', 'cancelled'],
  },
  refunded: { label: 'Refunded', verb: 'Refund', tone: 'neutral', next: [] },
};

export const allStatuses = Object.keys(statuses) as readonly Status[];

/** Orders that somebody has to work on. */
export const waiting: readonly Status[] = ['pending', 'confirmed', 'processing'];

/** The statuses that the user may change an order to. */
export function nextStatuses(
  { status }: Pick<Order, 'status'>,
  can: (permission: string) => boolean,
): readonly Status[] {
  const [isEditor, isCanceller, isRefunder] = ['orders.edit', 'orders.cancel', 'orders.refund'].map(can);
  return statuses[status].next.filter((next) =>
    next === 'cancelled' ? isCanceller : next === 'refunded' ? isRefunder : isEditor,
  );
}

/** Whether the rules allow the way back. */
export function canUndo(from: Status, to: Status): boolean {
  return statuses[to].next.includes(from);
}
