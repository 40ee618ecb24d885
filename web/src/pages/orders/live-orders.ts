import { useLive } from '../../live/use-live.ts';

const changes = ['orderCreated', 'orderUpdated', 'orderStatusChanged', 'orderDeleted'];

/** Reads orders, and other areas that depend on them, again when one changes. */
export function useLiveOrders(...areas: readonly string[]): void {
  useLive(changes, 'orders', ...areas);
}
