import type { Key } from '../../api/query-keys.ts';
import { useLive } from '../../live/use-live.ts';

const changes = ['orderCreated', 'orderUpdated', 'orderStatusChanged', 'orderDeleted'];

/** Refetches these keys when an order changes. */
export function useLiveOrders(...keys: readonly Key[]): void {
  useLive(changes, ...keys);
}
