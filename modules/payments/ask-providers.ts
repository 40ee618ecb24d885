import { type Ctx, Failure, type Sql, sql } from '@chowk/kit';
import { findKeys } from './accounts.ts';
import { applyReport, type Link } from './callbacks.ts';
import { providers } from './providers/providers.ts';
import { forgetPending, type PendingRefund, settleOnce } from './refunds.ts';
import type { ProviderName } from './schemas.ts';

/** In one run, of links and of refunds. Each is a request. */
const batchSize = 25;
const keptDays = 7;

type AskedLink = Link & { readonly provider: ProviderName; readonly provider_link_id: string };

/** Asks for what has become of links and refunds, in case a callback is lost. */
export async function askProviders(ctx: Ctx): Promise<{ links: number; refunds: number }> {
  const links = await findLinks(ctx);
  for (const link of links) await askForLink(ctx, link);
  const refunds = await findRefunds(ctx);
  for (const refund of refunds) await askForRefund(ctx, refund);
  return { links: links.length, refunds: refunds.length };
}

/** Ten minutes after it was created, and then ever more rarely. */
function isDue(ctx: Ctx, checkedAt: Sql, createdAt: Sql): Sql {
  const now = sql`${ctx.now()}::timestamptz`;
  return sql`${checkedAt} < ${now} - greatest(interval '10 minutes', (${now} - ${createdAt}) / 8)`;
}

/** Those that can be paid, and those that have expired since: the customer may have paid at the last moment. */
function findLinks(ctx: Ctx): Promise<AskedLink[]> {
  const now = ctx.now();
  const checkedAt = sql`coalesce(c.checked_at, l.created_at)`;
  return ctx.db.rows<AskedLink>(sql`
    SELECT l.id, l.order_id, l.currency, l.provider, l.provider_link_id
    FROM payment_links l LEFT JOIN payment_link_checks c ON c.link_id = l.id
    WHERE l.provider_link_id IS NOT NULL AND l.expires_at > ${new Date(now.getTime() - keptDays * 24 * 3_600_000)}
      AND (l.status IN ('open', 'processing') AND ${isDue(ctx, checkedAt, sql`l.created_at`)}
        OR l.status IN ('open', 'expired') AND l.expires_at <= ${now} AND ${checkedAt} < l.expires_at)
    ORDER BY ${checkedAt}, l.id LIMIT ${batchSize}`);
}

async function askForLink(ctx: Ctx, link: AskedLink): Promise<void> {
  const { id, provider, provider_link_id } = link;
  const now = ctx.now();
  await ctx.db.run(sql`
    INSERT INTO payment_link_checks (link_id, checked_at) VALUES (${id}, ${now})
    ON CONFLICT (link_id) DO UPDATE SET checked_at = excluded.checked_at`);
  const keys = await findKeys(ctx, provider);
  const outcome = keys && (await providers[provider].findLink(ctx, keys, provider_link_id));
  if (outcome?.status !== 'done') return warn(ctx, { link: id, provider, reason: outcome?.reason });
  await ctx.tx((tx) => applyReport(tx, provider, link, outcome.value));
}

function findRefunds(ctx: Ctx): Promise<PendingRefund[]> {
  return ctx.db.rows<PendingRefund>(sql`
    SELECT id, order_id, order_number, provider, provider_refund_id FROM payment_refunds
    WHERE ${isDue(ctx, sql`checked_at`, sql`created_at`)} ORDER BY checked_at, id LIMIT ${batchSize}`);
}

async function askForRefund(ctx: Ctx, { id, provider, provider_refund_id }: PendingRefund): Promise<void> {
  await ctx.db.run(sql`UPDATE payment_refunds SET checked_at = ${ctx.now()} WHERE id = ${id}`);
  const keys = await findKeys(ctx, provider);
  const outcome = keys && (await providers[provider].findRefund(ctx, keys, provider_refund_id));
  if (outcome?.status !== 'done') return warn(ctx, { refund: id, provider, reason: outcome?.reason });
  const { status } = outcome.value;
  if (status === 'pending') return;
  try {
    await settleOnce(ctx, { id, status, provider_refund_id });
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 404) throw error;
    // The order is deleted.
    await forgetPending(ctx, id);
  }
}

function warn(ctx: Ctx, details: Readonly<Record<string, string | undefined>>): void {
  ctx.log.warn({ tenant: ctx.tenant.id, ...details }, 'a payment provider did not say what has become of a payment');
}
