import { type Ctx, type Issues, invalid } from '@chowk/kit';
import { fail } from './errors.ts';
import { addressToStore, maskOrder } from './masking.ts';
import { findOrder, lockOrder } from './orders.ts';
import { changesOf, type Fields, saveOrder } from './save.ts';
import type { Order, OrderChanges } from './schemas.ts';
import { explainSum, sumOf, totalProblem } from './totals.ts';
import { statusProblem, transition } from './transitions.ts';

/** Changes the given fields, then the status. */
export function updateOrder(ctx: Ctx, { id, status, ...given }: OrderChanges): Promise<Order> {
  const { items, total = items && sumOf(items), shipping_address } = given;
  return ctx.tx(async (tx) => {
    const current = await lockOrder(tx, id);
    const fields: Partial<Fields> = { ...given, ...(total === undefined ? {} : { total }) };
    if (shipping_address !== undefined) {
      Object.assign(fields, { shipping_address: addressToStore(tx, shipping_address, current.shipping_address) });
    }
    const updated = await updateFields(tx, current, fields);
    return maskOrder(tx, status === undefined ? updated : await transition(tx, updated, { status }));
  });
}

async function updateFields(ctx: Ctx, current: Order, fields: Partial<Fields>): Promise<Order> {
  const changes = changesOf(current, fields);
  const changed = Object.keys(changes);
  if (changed.length === 0) return current;
  const isClosed = current.status === 'cancelled' || current.status === 'refunded';
  if (isClosed && (changes.items || changes.total)) throw fail('orders.closed', current);
  const problem = totalProblem(current, fields.total);
  if (problem) throw invalid({ total: problem });
  const order = await saveOrder(ctx, current, fields);
  await ctx.emit('order.updated', { order, changed }, { about: order.id });
  return order;
}

export async function explainChanges(ctx: Ctx, input: Partial<OrderChanges>, issues: Issues): Promise<void> {
  explainSum(input, issues);
  const { id, status, total } = input;
  const current = id === undefined ? undefined : await findOrder(ctx, id);
  if (!current) return;
  const problems = { total: totalProblem(current, total), status: status && statusProblem(current.status, status) };
  for (const [field, problem] of Object.entries(problems)) if (problem) issues.add(field, problem);
}
