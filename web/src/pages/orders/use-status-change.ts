import type { Order } from '@chowk/client';
import { affectedByOrder } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { errorMessage } from '../../format/error-message.ts';
import { api } from '../../session/session.ts';
import { toast } from '../../ui/toast.tsx';
import { type Status, statuses } from './status.ts';

type Changed = Pick<Order, 'id' | 'order_number' | 'status' | 'customer_id'>;

/** Changes the status of an order and says so, with Undo where the rules allow the way back. */
export function useStatusChange(): (order: Changed, to: Status) => Promise<void> {
  const refetch = useRefetch();
  return async function change(order, to) {
    try {
      await api().orders.updateStatus({ id: order.id, status: to });
      const { order: changed } = await api().orders.get({ id: order.id });
      const undo = { label: 'Undo', run: () => void change({ ...order, status: to }, order.status) };
      const text = `Order ${order.order_number} is now ${statuses[to].label.toLowerCase()}.`;
      toast(text, changed.next_statuses.includes(order.status) ? undo : undefined);
    } catch (error) {
      toast(errorMessage(error));
    }
    await refetch(...affectedByOrder(order));
  };
}
