import type { Order, OrderDetails } from '@chowk/client';

export type Status = Order['status'];

interface StatusInfo {
  readonly label: string;
  /** On the button that leads to it. */
  readonly verb: string;
  /** The color of the pill. */
  readonly tone: 'neutral' | 'info' | 'success' | 'warning' | 'error';
}

export const statuses: Readonly<Record<Status, StatusInfo>> = {
  pending: {
    label: 'Pending',
    verb: 'Back to pending',
    tone: 'warning',
  },
  confirmed: {
    label: 'Confirmed',
    verb: 'Confirm',
    tone: 'info',
  },
  processing: {
    label: 'Processing',
    verb: 'Process',
    tone: 'info',
  },
  shipped: {
    label: 'Shipped',
    verb: 'Ship',
    tone: 'info',
  },
  delivered: { label: 'Delivered', verb: 'Mark as delivered', tone: 'success' },
  cancelled: { label: 'Cancelled', verb: 'Cancel order', tone: 'neutral' },
  failed: {
    label: 'Failed',
    verb: 'Mark as failed',
    tone: 'error',
  },
  refunded: { label: 'Refunded', verb: 'Refund', tone: 'neutral' },
};

export const allStatuses = Object.keys(statuses) as readonly Status[];

/** Orders that somebody has to work on. */
export const waiting: readonly Status[] = ['pending', 'confirmed', 'processing'];

/** The statuses that the user may change an order to. */
export function nextStatuses(
  { next_statuses }: Pick<OrderDetails, 'next_statuses'>,
  can: (permission: string) => boolean,
): readonly Status[] {
  const [isEditor, isCanceller, isRefunder] = ['orders.edit', 'orders.cancel', 'orders.refund'].map(can);
  return next_statuses.filter((next) =>
    next === 'cancelled' ? isCanceller : next === 'refunded' ? isRefunder : isEditor,
  );
}
