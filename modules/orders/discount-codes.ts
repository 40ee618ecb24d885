import type { Ctx } from '@chowk/kit';
import type { Order, Status } from './schemas.ts';

const unused: ReadonlySet<Status> = new Set(['cancelled', 'failed']);

/** Makes these the codes that the order uses, if it uses any or has used some. */
export async function redeemCodes(ctx: Ctx, order: Order, codes: readonly string[]): Promise<void> {
  if (codes.length === 0 && order.discount_codes.length === 0) return;
  const { id: order_id, customer_id } = order;
  await ctx.bus.callIfInstalled('pricing.redeem', { order_id, customer_id, codes: [...codes] });
}

/** Whether orders with the status count as uses of their codes. */
export const usesCodes = (status: Status) => !unused.has(status);

/** A cancelled or failed order uses no codes; one that is taken up again does. */
export async function followCodes(ctx: Ctx, order: Order, status: Status): Promise<void> {
  if (unused.has(status) === unused.has(order.status)) return;
  const used = order.discounts.flatMap(({ code }) => (code === null ? [] : [code]));
  await redeemCodes(ctx, order, unused.has(status) ? [] : used);
}
