import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distributeExcess, type PaidAmount } from './excess.ts';

const amount = fc.bigInt({ min: 0n, max: 1_000n });
const payments = fc.array(fc.tuple(amount, amount, amount, amount), { maxLength: 5 }).map((rows): PaidAmount[] =>
  rows.map(([part, excess, refunded, refundedExcess], index) => ({
    id: String(index),
    amount: part + excess + refunded + refundedExcess,
    excess: excess + refundedExcess,
    refunded,
    refundedExcess,
  })),
);
const sum = (rows: readonly PaidAmount[], count: (row: PaidAmount) => bigint) =>
  rows.reduce((total, row) => total + count(row), 0n);
const paidPart = (row: PaidAmount) => row.amount - row.excess;

test('the excess is what is more than the total, whatever was paid and refunded', () => {
  fc.assert(
    fc.property(payments, amount, (before, more) => {
      const total = sum(before, ({ refunded }) => refunded) + more;
      const { changed, paid } = distributeExcess(before, { total, paid: sum(before, paidPart) });
      const byId = new Map(changed.map((row) => [row.id, row]));
      const after = before.map((row) => byId.get(row.id) ?? row);
      expect(sum(after, paidPart)).toBe(paid);
      expect(paid).toBeLessThanOrEqual(total);
      const free = sum(after, ({ excess, refundedExcess }) => excess - refundedExcess);
      if (paid < total) expect(free).toBe(0n);
      for (const row of after) {
        expect(row.excess).toBeGreaterThanOrEqual(row.refundedExcess);
        expect(paidPart(row)).toBeGreaterThanOrEqual(row.refunded);
      }
    }),
  );
});

test('the newest payment becomes excess first, and counts again last', () => {
  const row = (id: string, excess = 0n) => ({ id, amount: 10n, excess, refunded: 0n, refundedExcess: 0n });
  const lowered = distributeExcess([row('old'), row('new')], { total: 8n, paid: 20n });
  expect(lowered).toEqual({ changed: [row('new', 10n), row('old', 2n)], paid: 8n });
  const raised = distributeExcess([row('old', 2n), row('new', 10n)], { total: 11n, paid: 8n });
  expect(raised).toEqual({ changed: [row('old'), row('new', 9n)], paid: 11n });
});
