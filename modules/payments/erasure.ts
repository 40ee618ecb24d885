import { type Ctx, Failure, type Static, sql, Type } from '@chowk/kit';
import { findKeys } from './accounts.ts';
import { fail } from './errors.ts';
import { providers } from './providers/providers.ts';
import { ProviderName } from './schemas.ts';

/** Fills in the customers of links that were created by a version that did not store them. */
export async function fillCustomers(ctx: Ctx): Promise<void> {
  const orders = await ctx.db.rows<{ order_id: string }>(sql`
    SELECT DISTINCT order_id FROM payment_links WHERE customer_id IS NULL AND url IS NOT NULL`);
  for (const { order_id } of orders) {
    const customerId = await findCustomer(ctx, order_id);
    await ctx.db.run(sql`
      UPDATE payment_links SET customer_id = ${customerId}, url = CASE WHEN ${customerId === null} THEN NULL ELSE url END
      WHERE order_id = ${order_id} AND customer_id IS NULL`);
  }
}

/** Null for a deleted order, whose payment link is no longer needed. */
async function findCustomer(ctx: Ctx, order_id: string): Promise<string | null> {
  try {
    return (await ctx.bus.call('orders.getForPayment', { order_id })).customer_id;
  } catch (error) {
    if (error instanceof Failure && error.status === 404) return null;
    throw error;
  }
}

/** The links of a customer that is erased are cancelled: the provider knows the customer by them. */
export async function cancelErased(ctx: Ctx, { id }: { readonly id: string }): Promise<void> {
  await fillCustomers(ctx);
  const links = await ctx.db.rows<{ provider: ProviderName; provider_link_id: string | null }>(sql`
    UPDATE payment_links SET status = 'cancelled', updated_at = ${ctx.now()}
    WHERE customer_id = ${id} AND status IN ('creating', 'open') RETURNING provider, provider_link_id`);
  for (const { provider, provider_link_id } of links) {
    if (provider_link_id !== null) await ctx.jobs.add('payments.cancel_at_provider', { provider, provider_link_id });
  }
}

export const LinkAtProvider = Type.Object({ provider: ProviderName, provider_link_id: Type.String() });
type LinkAtProvider = Static<typeof LinkAtProvider>;

/** Another attempt is made while the provider is not available. */
export async function cancelAtProvider(ctx: Ctx, { provider, provider_link_id }: LinkAtProvider): Promise<void> {
  const keys = await findKeys(ctx, provider);
  if (!keys) return;
  const { title, cancelLink } = providers[provider];
  const outcome = await cancelLink(ctx, keys, provider_link_id);
  if (outcome.status === 'unavailable') throw fail('payments.unavailable', { provider: title, reason: outcome.reason });
}
