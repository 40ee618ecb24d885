import { type Ctx, deleteInBatches, Failure, sql } from '@chowk/kit';
import { findWebhookSecrets } from './accounts.ts';
import { fail } from './errors.ts';
import type { Callback, LinkReport, ReportedPayment } from './providers/provider.ts';
import { providers } from './providers/providers.ts';
import { settleOnce } from './refunds.ts';
import type { CallbackRequest, ProviderName } from './schemas.ts';

/** Providers repeat deliveries for days, not for months. */
const keptDays = 90;

export interface Link {
  readonly id: string;
  readonly order_id: string;
  readonly currency: string;
}

/** The response is the same for all that are signed: a provider repeats others for days. */
export async function receiveCallback(ctx: Ctx, { provider, body, headers }: CallbackRequest): Promise<void> {
  const secrets = await findWebhookSecrets(ctx, provider);
  const callback = providers[provider].readCallback({ body, headers, secrets, now: ctx.now() });
  if (!callback) throw fail('payments.bad_signature');
  await ctx.tx((tx) => applyOnce(tx, provider, callback));
}

async function applyOnce(ctx: Ctx, provider: ProviderName, callback: Callback): Promise<void> {
  const { id, type } = callback;
  // A concurrent delivery of the same event waits here until the first one is committed.
  const isNew = await ctx.db.run(sql`
    INSERT INTO payment_events (provider, event_id, type, result, received_at)
    VALUES (${provider}, ${id}, ${type}, 'received', ${ctx.now()}) ON CONFLICT DO NOTHING`);
  if (isNew === 0) return;
  const link = callback.link && (await findLink(ctx, provider, callback.link));
  const result = await apply(ctx, provider, callback, link);
  await ctx.db.run(sql`
    UPDATE payment_events SET link_id = ${link?.id ?? null}, result = ${result}
    WHERE provider = ${provider} AND event_id = ${id}`);
  ctx.audit({ [type]: [null, result] });
}

/** By our id where the provider sends it back: the response with its own may not be stored yet. */
function findLink(ctx: Ctx, provider: ProviderName, { id, providerId }: NonNullable<Callback['link']>) {
  return ctx.db.row<Link>(sql`
    SELECT id, order_id, currency FROM payment_links
    WHERE provider = ${provider} AND (id = ${id ?? null} OR provider_link_id = ${providerId ?? null})`);
}

async function apply(ctx: Ctx, provider: ProviderName, callback: Callback, link: Link | undefined): Promise<string> {
  if (callback.refund) return settleRefund(ctx, callback.refund);
  return link ? applyReport(ctx, provider, link, callback) : 'ignored: no link';
}

/** Returns what it has done; repeating it changes nothing. The order is locked before the link, as everywhere. */
export async function applyReport(
  ctx: Ctx,
  provider: ProviderName,
  link: Link,
  { linkStatus, payment, failure }: LinkReport & Pick<Callback, 'failure'>,
): Promise<string> {
  if (payment && payment.currency !== link.currency) return `ignored: paid in ${payment.currency}`;
  if (linkStatus === 'paid' && !payment) return 'ignored: no payment';
  const recorded = payment ? await recordPayment(ctx, provider, link, payment) : 'link changed';
  if (linkStatus) await changeStatus(ctx, link.id, linkStatus, payment);
  if (failure !== undefined) {
    await ctx.db.run(sql`
      UPDATE payment_links SET failure = ${failure}, updated_at = ${ctx.now()} WHERE id = ${link.id} AND status <> 'paid'`);
  }
  return recorded;
}

async function recordPayment(ctx: Ctx, provider: ProviderName, link: Link, payment: ReportedPayment): Promise<string> {
  const { id, amount, status, at } = payment;
  return unlessRefused(async () => {
    await ctx.bus.call('orders.recordPayment', {
      order_id: link.order_id,
      method: provider,
      amount,
      reference: id,
      provider,
      provider_payment_id: id,
      status,
      paid_at: at.toISOString(),
    });
    return `payment ${status}`;
  });
}

function settleRefund(ctx: Ctx, { refundId, id, status }: NonNullable<Callback['refund']>): Promise<string> {
  if (status === 'pending') return Promise.resolve('ignored: refund pending');
  return unlessRefused(async () => {
    await settleOnce(ctx, { id: refundId, status, provider_refund_id: id });
    return `refund ${status}`;
  });
}

/** What the orders module refuses, for example because the order is deleted, it refuses again when the event is repeated. */
async function unlessRefused(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && (error.status === 404 || error.status === 422)) return `ignored: ${error.message}`;
    throw error;
  }
}

/** Events arrive in any order: a paid link stays paid, and a closed one can only become paid. */
async function changeStatus(
  ctx: Ctx,
  id: string,
  status: NonNullable<Callback['linkStatus']>,
  payment: ReportedPayment | undefined,
): Promise<void> {
  const isPaid = status === 'paid';
  const before = isPaid
    ? sql`status <> 'paid'`
    : status === 'processing'
      ? sql`status IN ('creating', 'open')`
      : sql`status IN ('creating', 'open', 'processing')`;
  await ctx.db.run(sql`
    UPDATE payment_links SET status = ${status}, updated_at = ${ctx.now()},
      paid_at = ${isPaid ? (payment?.at ?? null) : null}, failure = CASE WHEN ${isPaid} THEN NULL ELSE failure END
    WHERE id = ${id} AND ${before}`);
}

export async function pruneEvents(ctx: Ctx): Promise<{ deleted: number }> {
  const before = new Date(ctx.now().getTime() - keptDays * 24 * 3_600_000);
  return { deleted: await deleteInBatches(ctx.db, sql`payment_events`, sql`received_at < ${before}`) };
}
