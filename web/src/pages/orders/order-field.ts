import { ChowkError, type Order } from '@chowk/client';
import { useRef } from 'react';
import { affectedByOrderField } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { api } from '../../session/session.ts';

type Field = 'note' | 'shipping_address' | 'billing_address';

/** Saves a field of an order, but not over a change of the same field that the user has not seen: `conflict` describes it. */
export function useOrderField<Name extends Field>(
  order: Order,
  name: Name,
  conflict: (latest: Order) => string,
): (value: Order[Name]) => Promise<void> {
  const seen = useRef<Order>(order);
  const refetch = useRefetch();
  const { id } = order;
  const send = async (value: Order[Name]) => {
    const version = { headers: { 'If-Match': `"${seen.current.updated_at}"` } };
    seen.current = (await api().orders.update({ id, [name]: value }, version)).order;
  };
  return async (value) => {
    try {
      await send(value);
    } catch (error) {
      if (!(error instanceof ChowkError) || error.status !== 412) throw error;
      const { order: latest } = await api().orders.get({ id });
      const isChanged = JSON.stringify(latest[name]) !== JSON.stringify(seen.current[name]);
      seen.current = latest;
      if (isChanged) throw new Error(conflict(latest));
      await send(value);
    }
    await refetch(...affectedByOrderField(id));
  };
}
