import { type Ctx, type Issues, pickFields, sql } from '@chowk/kit';
import type { ReadCart } from './cart.ts';
import { checkNewOrder, createOrder } from './create.ts';
import { lockDraft, type StoredDraft, toOrder } from './drafts.ts';
import { getOrder } from './orders.ts';
import { Order } from './schemas.ts';

interface Placing {
  readonly draft: StoredDraft;
  readonly cart: ReadCart | undefined;
}

export async function checkPlacing(ctx: Ctx, { id }: { id?: string }, issues: Issues): Promise<Placing | undefined> {
  if (id === undefined) return undefined;
  const draft = await lockDraft(ctx, id);
  const isPlaced = draft.order_id !== null;
  return { draft, cart: isPlaced ? undefined : await checkNewOrder(ctx, toOrder(draft), issues) };
}

/** The lock on the draft makes others wait, who then find the order. */
export async function placeDraft(ctx: Ctx, { id }: { id: string }, { draft, cart }: Placing): Promise<Order> {
  if (draft.order_id !== null) return pickFields(Order, await getOrder(ctx, { id: draft.order_id }));
  const order = await createOrder(ctx, toOrder(draft), cart);
  await ctx.db.run(sql`UPDATE draft_orders SET order_id = ${order.id}, customer_id = ${order.customer_id},
    updated_at = ${ctx.now()} WHERE id = ${id}`);
  return order;
}
