import { type Ctx, job, MoneyInput, type Static, sql, Type, Uuid } from '@chowk/kit';
import { findKeys } from './accounts.ts';
import type { Outcome, ProviderRefund } from './providers/provider.ts';
import { providers } from './providers/providers.ts';
import { ProviderName, providerNames } from './schemas.ts';

/** Seconds before each retry: nine hours in all. Providers remember an idempotency key for a day at least. */
const retries: readonly number[] = [10, 60, 300, 1_800, 7_200, 21_600];

const Refund = Type.Object({
  id: Uuid,
  order_id: Uuid,
  order_number: Type.String(),
  provider: ProviderName,
  payment_id: Type.String(),
  amount: MoneyInput,
  currency: Type.String(),
  attempt: Type.Integer({ minimum: 0 }),
});
type Refund = Static<typeof Refund>;

interface RefundedOrder {
  readonly order: { readonly id: string; readonly order_number: string; readonly currency: string };
  readonly refund: {
    readonly id: string;
    readonly amount: string;
    readonly provider: string | null;
    readonly provider_payment_id: string | null;
  };
}

/** Queues the refund of a payment that a provider has taken. */
export async function queueRefund(ctx: Ctx, { order, refund }: RefundedOrder): Promise<void> {
  const { id, amount, provider: name, provider_payment_id: paymentId } = refund;
  const provider = providerNames.find((one) => one === name);
  if (provider === undefined || paymentId === null) return;
  const { id: order_id, order_number, currency } = order;
  const data = { id, order_id, order_number, provider, payment_id: paymentId, amount, currency, attempt: 0 };
  await ctx.jobs.add('payments.refund', data);
}

async function refund(ctx: Ctx, data: Refund): Promise<void> {
  const outcome = await requestRefund(ctx, data);
  const delay = outcome.status === 'unavailable' ? retries[data.attempt] : undefined;
  if (delay !== undefined) {
    return ctx.jobs.add('payments.refund', { ...data, attempt: data.attempt + 1 }, { delaySeconds: delay });
  }
  if (outcome.status !== 'done') return fail(ctx, data, outcome.reason);
  const { id: provider_refund_id, status } = outcome.value;
  if (status === 'pending') return rememberPending(ctx, data, provider_refund_id);
  if (status === 'failed') return fail(ctx, data, notMade, provider_refund_id);
  await settle(ctx, { refund_id: data.id, status, provider_refund_id });
}

const notMade = 'The provider could not make it.';

/** A callback reports the outcome, or the provider is asked for it. */
async function rememberPending(ctx: Ctx, { id, order_id, order_number, provider }: Refund, refundId: string) {
  await ctx.db.run(sql`
    INSERT INTO payment_refunds (id, order_id, order_number, provider, provider_refund_id, created_at, checked_at)
    VALUES (${id}, ${order_id}, ${order_number}, ${provider}, ${refundId}, ${ctx.now()}, ${ctx.now()})
    ON CONFLICT DO NOTHING`);
}

export interface PendingRefund extends Pick<Refund, 'id' | 'order_id' | 'order_number' | 'provider'> {
  readonly provider_refund_id: string;
}

interface Report {
  /** That of the refund of the order. */
  readonly id: string;
  readonly status: 'succeeded' | 'failed';
  readonly provider_refund_id: string;
}

/** Repeating it changes nothing: a callback and an answer of the provider may report the same. */
export function settleOnce(ctx: Ctx, { id, status, provider_refund_id }: Report): Promise<void> {
  return ctx.tx(async (tx) => {
    const pending = await forgetPending(tx, id);
    if (status === 'failed' && pending) return fail(tx, pending, notMade, provider_refund_id);
    await settle(tx, { refund_id: id, status, provider_refund_id });
  });
}

export function forgetPending(ctx: Ctx, id: string): Promise<PendingRefund | undefined> {
  return ctx.db.row<PendingRefund>(sql`
    DELETE FROM payment_refunds WHERE id = ${id}
    RETURNING id, order_id, order_number, provider, provider_refund_id`);
}

async function requestRefund(ctx: Ctx, data: Refund): Promise<Outcome<ProviderRefund>> {
  const { id, provider, payment_id: paymentId, amount, currency } = data;
  const keys = await findKeys(ctx, provider);
  if (!keys) return { status: 'refused', reason: `There are no keys of ${providers[provider].title}.` };
  return providers[provider].refund(ctx, keys, { id, paymentId, amount, currency });
}

/** The order can be refunded again, and the team learns why. */
async function fail(
  ctx: Ctx,
  data: Omit<PendingRefund, 'provider_refund_id'>,
  reason: string,
  provider_refund_id?: string,
): Promise<void> {
  const { id, order_id, order_number, provider } = data;
  const { title } = providers[provider];
  ctx.log.warn({ tenant: ctx.tenant.id, refund: id, provider, reason }, 'a refund failed');
  const owners = await ctx.bus.call('identity.members', { role: 'Owner' });
  await ctx.tx(async (tx) => {
    await settle(tx, { refund_id: id, status: 'failed', provider_refund_id });
    await tx.notify(
      owners.map((owner) => owner.id),
      {
        type: 'payment.refund_failed',
        title: `The refund of order ${order_number} failed`,
        body: `${title}: ${reason} Look the payment up at ${title} before you refund it again.`,
        severity: 'error',
        icon: 'AlertTriangle',
        action_url: `/orders/${order_id}`,
        action_label: 'Open the order',
        data: { order_id, refund_id: id },
      },
    );
  });
}

interface Settlement {
  readonly refund_id: string;
  readonly status: 'succeeded' | 'failed';
  readonly provider_refund_id?: string | undefined;
}

async function settle(ctx: Ctx, { refund_id, status, provider_refund_id }: Settlement): Promise<void> {
  const id = provider_refund_id === undefined ? {} : { provider_refund_id };
  await ctx.bus.call('orders.settleRefund', { refund_id, status, ...id });
}

export const refundJob = job({ queue: 'payments', data: Refund, retries: [5, 60, 600], run: refund });
