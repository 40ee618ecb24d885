import {
  AnyMoneyInput,
  type Ctx,
  fromCents,
  Money,
  Nullable,
  operation,
  type Static,
  sql,
  Timestamp,
  Type,
  toCents,
  Uuid,
} from '@chowk/kit';
import { fail } from './errors.ts';
import { getRecord, lockOrder } from './orders.ts';
import { type Order, OrderContact, Status } from './schemas.ts';

const Line = Type.String();
const PaymentState = Type.Enum(['pending', 'succeeded', 'failed']);

const ProviderPayment = Type.Object({
  order_id: Uuid,
  method: Line,
  amount: AnyMoneyInput,
  reference: Type.Optional(Nullable(Line)),
  provider: Line,
  provider_payment_id: Line,
  status: PaymentState,
  paid_at: Type.Optional(Nullable(Timestamp)),
});

/** What other modules need to take payments for orders. */
export const paymentOperations = {
  'orders.getForPayment': operation({
    summary: 'Get what a payment of an order needs',
    input: Type.Object({ order_id: Uuid }),
    output: Type.Object({
      id: Uuid,
      order_number: Line,
      status: Status,
      currency: Line,
      total: Money,
      due_total: Money,
      contact: OrderContact,
    }),
    async run(ctx, { order_id }) {
      const { id, order_number, status, currency, total, due_total, contact, customer } = await getRecord(
        ctx,
        order_id,
      );
      const nobody = { first_name: null, last_name: null, email: null, phone: null };
      return { id, order_number, status, currency, total, due_total, contact: contact ?? customer ?? nobody };
    },
  }),
  'orders.recordPayment': operation({
    summary: 'Record a payment that a provider reports',
    input: ProviderPayment,
    output: Type.Object({ payment_id: Uuid, is_new: Type.Boolean() }),
    run: (ctx, payment) => ctx.tx((tx) => recordPayment(tx, payment)),
  }),
  'orders.settleRefund': operation({
    summary: 'Settle a refund that a provider has made or refused',
    input: Type.Object({
      refund_id: Uuid,
      status: Type.Enum(['succeeded', 'failed']),
      provider_refund_id: Type.Optional(Nullable(Line)),
    }),
    async run(ctx, { refund_id, status, provider_refund_id = null }) {
      const settled = await ctx.db.run(sql`
        UPDATE order_refunds SET status = ${status}, provider_refund_id = ${provider_refund_id} WHERE id = ${refund_id}`);
      if (settled === 0) throw fail('orders.not_found', { key: refund_id });
    },
  }),
};

async function recordPayment(ctx: Ctx, payment: Static<typeof ProviderPayment>) {
  const { order_id, method, amount, reference = null, provider, provider_payment_id, status, paid_at = null } = payment;
  const order = await lockOrder(ctx, order_id);
  const before = await ctx.db.row<{ id: string; status: string }>(sql`
    SELECT id, status FROM order_payments WHERE provider = ${provider} AND provider_payment_id = ${provider_payment_id}`);
  if (before && before.status !== 'pending') return { payment_id: before.id, is_new: false };
  const id = before?.id ?? ctx.newId();
  const units = toCents(amount, order.currency) - toCents(order.due_total, order.currency);
  const excess = fromCents(units > 0n ? units : 0n, order.currency);
  await ctx.db.run(sql`
    INSERT INTO order_payments (id, order_id, method, amount, excess, reference, status, provider, provider_payment_id, paid_at,
      created_at, updated_at)
    VALUES (${id}, ${order_id}, ${method}, ${amount}::numeric, ${excess}::numeric, ${reference}, ${status}, ${provider},
      ${provider_payment_id}, ${paid_at}, ${ctx.now()}, ${ctx.now()})
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, paid_at = excluded.paid_at, updated_at = excluded.updated_at`);
  if (status === 'succeeded') {
    await ctx.db.run(sql`
      UPDATE orders SET paid_total = paid_total + ${amount}::numeric - ${excess}::numeric, updated_at = ${ctx.now()}
      WHERE id = ${order_id}`);
  }
  return { payment_id: id, is_new: !before };
}

/** Records a refund of the newest payment and emits the event. */
export async function emitRefund(ctx: Ctx, order: Order, amount: string): Promise<void> {
  const payment = await ctx.db.row<{ id: string; provider: string | null; provider_payment_id: string | null }>(sql`
    SELECT id, provider, provider_payment_id FROM order_payments
    WHERE order_id = ${order.id} AND status = 'succeeded' ORDER BY created_at DESC LIMIT 1`);
  if (!payment) return;
  const { id: payment_id, provider, provider_payment_id } = payment;
  const id = ctx.newId();
  await ctx.db.run(sql`
    INSERT INTO order_refunds (id, order_id, payment_id, amount, status, created_at)
    VALUES (${id}, ${order.id}, ${payment_id}, ${amount}::numeric, 'pending', ${ctx.now()})`);
  await ctx.emit('order.refunded', { order, refund: { id, amount, provider, provider_payment_id, payment_id } });
}
