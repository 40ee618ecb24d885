import { type Ctx, maskPhone } from '@chowk/kit';
import { seesAll } from './columns.ts';
import type { OrderCustomer } from './schemas.ts';

/** The orders with whom they belong to, in one question for all of them; phones masked for who may not see them. */
export async function withCustomers<Row extends { customer_id: string }>(
  ctx: Ctx,
  orders: readonly Row[],
): Promise<(Row & { customer: OrderCustomer | null })[]> {
  const customers = await ctx.helpers('customers');
  const ids = [...new Set(orders.map(({ customer_id }) => customer_id))];
  const contacts = await customers?.contacts({ ids });
  const all = seesAll(ctx);
  return orders.map((order) => {
    const contact = contacts?.get(order.customer_id);
    if (!contact) return { ...order, customer: null };
    const { id, first_name, last_name, email, phone } = contact;
    const shown = all || phone === null ? phone : maskPhone(phone);
    return { ...order, customer: { id, first_name, last_name, email, phone: shown } };
  });
}
