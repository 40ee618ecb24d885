import { sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { repositoryModules } from '../../server/testing/repository-modules.ts';
import { testModule } from '../../server/testing/test-module.ts';

const names = ['orders.recordPayment', 'orders.settleRefund'];
const gateway = testModule({ alias: 'gateway', consumes: names });
const platform = await startPlatform({ modules: [...(await repositoryModules()), gateway] });
const acme = await platform.tenant();
const merchant = acme.caller(
  ...['view', 'create', 'edit', 'cancel', 'refund', 'delete'].map((verb) => `orders.${verb}`),
);
const ctx = acme.context('gateway');

const cents = fc.integer({ min: 1, max: 1_500 }).map((amount) => (amount / 100).toFixed(2));
const pick = fc.nat(5);
const step = fc.oneof(
  fc.record({ kind: fc.constant('pay' as const), amount: cents, status: fc.constantFrom('succeeded', 'pending') }),
  fc.record({ kind: fc.constant('change' as const), pick, status: fc.constantFrom('succeeded', 'failed') }),
  fc.record({
    kind: fc.constant('report' as const),
    amount: cents,
    pick,
    status: fc.constantFrom('pending' as const, 'succeeded' as const, 'failed' as const),
  }),
  fc.record({ kind: fc.constant('refund' as const), amount: cents }),
  fc.record({ kind: fc.constant('units' as const), quantity: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('payment' as const), pick }),
  fc.record({
    kind: fc.constant('settle' as const),
    pick,
    status: fc.constantFrom('succeeded' as const, 'failed' as const),
  }),
  fc.record({ kind: fc.constant('total' as const), amount: cents }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function perform(id: string, one: Step): Promise<number> {
  const url = `/api/v1/orders/${id}`;
  const { order } = (await merchant.get(url)).body;
  const at = <Row>(rows: readonly Row[], index: number) => rows[index % Math.max(rows.length, 1)];
  const payment = 'pick' in one ? (at(order.payments, one.pick) as { id: string } | undefined) : undefined;
  switch (one.kind) {
    case 'pay':
      return (await merchant.post(`${url}/payments`, { method: 'cash', amount: one.amount, status: one.status }))
        .status;
    case 'change':
      if (!payment) return 200;
      return (await merchant.patch(`${url}/payments/${payment.id}`, { status: one.status })).status;
    case 'report': {
      const { amount, status } = one;
      const key = { order_id: id, method: 'card', provider: 'stripe', provider_payment_id: `${id}-${one.pick}` };
      await ctx.bus.call('orders.recordPayment', { ...key, amount, status });
      return 200;
    }
    case 'refund':
      return (await merchant.post(`${url}/refund`, { amount: one.amount })).status;
    case 'units': {
      const items = [{ item_id: order.items[0].id, quantity: one.quantity }];
      return (await merchant.post(`${url}/refund`, { items })).status;
    }
    case 'payment':
      return payment ? (await merchant.post(`${url}/refund`, { payment_id: payment.id })).status : 200;
    case 'settle': {
      const refund = at(order.refunds, one.pick) as { id: string } | undefined;
      if (refund) await ctx.bus.call('orders.settleRefund', { refund_id: refund.id, status: one.status });
      return 200;
    }
    default:
      return (await merchant.patch(url, { total: one.amount })).status;
  }
}

/** What must hold at every moment; each query finds the orders, payments and items for which it does not. */
async function expectBalanced(): Promise<void> {
  const wrong = await acme.db.row(sql`
    WITH p AS (
      SELECT p.*, coalesce(r.part, 0) AS part, coalesce(r.excess, 0) AS refunded_excess FROM order_payments p LEFT JOIN LATERAL (
        SELECT sum(amount - excess) AS part, sum(excess) AS excess FROM order_refunds WHERE payment_id = p.id AND status <> 'failed'
      ) r ON true)
    SELECT
      (SELECT json_agg(o.id) FROM orders o WHERE paid_total <>
        (SELECT coalesce(sum(amount - excess), 0) FROM p WHERE order_id = o.id AND status = 'succeeded')) AS paid,
      (SELECT json_agg(o.id) FROM orders o WHERE refunded_total <> (SELECT coalesce(sum(amount - excess), 0) FROM order_refunds
        WHERE order_id = o.id AND status <> 'failed')) AS refunded,
      (SELECT json_agg(o.id) FROM orders o WHERE NOT (0 <= refunded_total AND refunded_total <= paid_total AND paid_total <= total))
        AS exceeded,
      (SELECT json_agg(p.id) FROM p WHERE part > amount - excess OR refunded_excess > excess
        OR (status <> 'succeeded' AND part + refunded_excess > 0)) AS overdrawn,
      (SELECT json_agg(p.id) FROM p JOIN orders o ON o.id = p.order_id
        WHERE p.status = 'succeeded' AND o.paid_total < o.total AND p.excess > p.refunded_excess) AS unused,
      (SELECT json_agg(i.id) FROM order_items i WHERE quantity < (
        SELECT sum(u.quantity) FROM order_refunds r, jsonb_to_recordset(r.items) AS u (item_id uuid, quantity integer)
        WHERE u.item_id = i.id AND r.status <> 'failed')) AS units`);
  expect(wrong).toEqual({ paid: null, refunded: null, exceeded: null, overdrawn: null, unused: null, units: null });
}

test('payments and refunds add up and never exceed, after any history of concurrent steps', {
  timeout: 180_000,
}, async () => {
  const lanes = fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 });
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(lanes, async (work) => {
      const items = [{ name: 'Tea', quantity: 3, price: '3.33' }];
      const { body } = await merchant.post('/api/v1/orders', { items, status: 'confirmed' });
      const run = async (steps: readonly Step[]) => {
        for (const one of steps) seen.add(await perform(body.order.id, one));
      };
      await Promise.all(work.map(run));
      await expectBalanced();
    }),
    { numRuns: 40 },
  );
  expect([...seen].filter((status) => ![200, 201, 409, 422].includes(status))).toEqual([]);
});
