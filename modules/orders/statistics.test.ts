import { fromCents, sql, toCents } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform, type TestTenant } from '../../server/testing/platform.ts';
import { statuses } from './schemas.ts';
import type { OrderStatistics } from './statistics-schemas.ts';

let now = new Date();
const platform = await startPlatform({ now: () => now });
const day = 86_400_000;

interface Placed {
  readonly at: Date;
  readonly status: string;
  readonly currency: string;
  readonly cents: number;
  readonly refundedCents: number;
  /** Parts of the total. */
  readonly taxCents?: number;
  readonly shippingCents?: number;
  readonly isDeleted: boolean;
}

function insertOrders(tenant: TestTenant, orders: readonly Placed[]) {
  const rows = orders.map(({ at, status, currency, cents, refundedCents, isDeleted, ...parts }, index) => ({
    number: index + 1,
    placed_at: at,
    status,
    currency,
    total: cents / 100,
    refunded_total: refundedCents / 100,
    tax_total: (parts.taxCents ?? 0) / 100,
    shipping_total: (parts.shippingCents ?? 0) / 100,
    deleted_at: isDeleted ? at : null,
  }));
  return tenant.db.run(sql`
    INSERT INTO orders (id, number, order_number, customer_id, status, currency, total, refunded_total, tax_total, shipping_total,
      placed_at, created_at, updated_at, deleted_at)
    SELECT gen_random_uuid(), n.number, n.number::text, gen_random_uuid(), n.status, n.currency, n.total, n.refunded_total,
      n.tax_total, n.shipping_total, n.placed_at, n.placed_at, n.placed_at, n.deleted_at
    FROM jsonb_populate_recordset(NULL::orders, ${JSON.stringify(rows)}::jsonb) n`);
}

/** What a clock in the time zone shows, as if it were UTC. */
function localClock(time: Date, timeZone: string): number {
  const text = time.toLocaleString('sv-SE', { timeZone });
  return Date.parse(`${text.replace(' ', 'T')}Z`) + time.getMilliseconds();
}
const formatDate = (clock: number) => new Date(clock).toISOString().slice(0, 10);

/** Halves are rounded up. */
function netCents({ cents, refundedCents, taxCents = 0, shippingCents = 0 }: Placed): number {
  if (cents === 0) return 0;
  const [total, goods] = [BigInt(cents), BigInt(cents - taxCents - shippingCents)];
  return Number((2n * goods * (total - BigInt(refundedCents)) + total) / (2n * total));
}

/** Order by order, day by day. */
function computeNaively(orders: readonly Placed[], { days, timezone }: { days: number; timezone: string }) {
  const clock = localClock(now, timezone);
  const counted = orders.filter(
    ({ at, status, isDeleted }) => !isDeleted && at <= now && !['pending', 'cancelled', 'failed'].includes(status),
  );
  const sums = (some: readonly Placed[], currency = 'INR') => {
    const cents = (of: (order: Placed) => number) =>
      fromCents(BigInt(some.filter((one) => one.currency === currency).reduce((sum, one) => sum + of(one), 0)));
    const revenue = cents((one) => one.cents);
    const inCurrency = some.filter((one) => one.currency === currency).length;
    const avg_order_value = (Math.round(Number(toCents(revenue)) / Math.max(1, inCurrency)) / 100).toFixed(2);
    const refunded = cents((one) => one.refundedCents);
    return { orders: some.length, revenue, net_revenue: cents(netCents), refunded, avg_order_value };
  };
  const period = (end: number) => {
    const dates = Array.from({ length: days }, (_, index) => formatDate(end - (days - 1 - index) * day));
    const isInTime = ({ at }: Placed) => end === clock || localClock(at, timezone) <= end;
    const on = (date: string) =>
      counted.filter((one) => formatDate(localClock(one.at, timezone)) === date && isInTime(one));
    const all = dates.flatMap(on);
    const others = [...new Set(all.map(({ currency }) => currency))].filter((name) => name !== 'INR').sort();
    return {
      ...sums(all),
      days: dates.map((date) => ({ date, ...sums(on(date)) })),
      other_currencies: others.map((currency) => {
        return {
          currency,
          ...sums(
            all.filter((one) => one.currency === currency),
            currency,
          ),
        };
      }),
    };
  };
  return { days, currency: 'INR', timezone, current: period(clock), previous: period(clock - days * day) };
}

async function shop(timezone = 'Asia/Kolkata') {
  const tenant = await platform.tenant();
  const { status } = await tenant
    .caller('settings.edit')
    .patch('/api/v1/settings', { 'general.timezone': timezone, 'general.currency': 'INR' });
  expect(status).toBe(200);
  const read = async (query = ''): Promise<OrderStatistics> => {
    const answer = await tenant.caller('reports.view').get(`/api/v1/orders/statistics${query}`);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body;
  };
  return { tenant, read };
}

const nothing = { orders: 0, revenue: '0.00', net_revenue: '0.00', refunded: '0.00', avg_order_value: '0.00' };
const tea = { at: new Date(), status: 'confirmed', currency: 'INR', cents: 10_000, refundedCents: 0, isDeleted: false };

test('without orders every day has 0', async () => {
  now = new Date('2026-03-10T10:00:00Z');
  const { read } = await shop();
  const { current, previous, days } = await read();
  expect({ days, current: current.days.length, previous: previous.days.length }).toEqual({
    days: 30,
    current: 30,
    previous: 30,
  });
  expect(current).toMatchObject({ orders: 0, revenue: '0.00', refunded: '0.00', other_currencies: [] });
  expect(current.days.at(-1)).toEqual({ date: '2026-03-10', ...nothing });
  expect(previous.days[0]?.date).toBe('2026-01-10');
});

test('the last days are compared with those before, up to the same time of day', async () => {
  // 15:30 in Kolkata.
  now = new Date('2026-03-10T10:00:00Z');
  const { tenant, read } = await shop();
  const at = (time: string) => new Date(`${time}+05:30`);
  await insertOrders(tenant, [
    { ...tea, at: at('2026-03-10T00:00:00') },
    { ...tea, at: at('2026-03-09T23:59:59'), cents: 5_000, refundedCents: 1_000, taxCents: 500, shippingCents: 499 },
    { ...tea, at: at('2026-03-09T12:00:00'), status: 'refunded', cents: 700, refundedCents: 700 },
    { ...tea, at: at('2026-03-09T12:00:00'), currency: 'EUR', cents: 999 },
    { ...tea, at: at('2026-03-09T12:00:00'), status: 'cancelled' },
    { ...tea, at: at('2026-03-09T12:00:00'), status: 'pending' },
    { ...tea, at: at('2026-03-09T12:00:00'), isDeleted: true },
    { ...tea, at: at('2026-03-10T18:00:00') },
    { ...tea, at: at('2026-03-08T15:30:00') },
    { ...tea, at: at('2026-03-08T15:30:01') },
  ]);
  const eur = {
    currency: 'EUR',
    orders: 1,
    revenue: '9.99',
    net_revenue: '9.99',
    refunded: '0.00',
    avg_order_value: '9.99',
  };
  const whole = { orders: 1, revenue: '100.00', net_revenue: '100.00', refunded: '0.00', avg_order_value: '100.00' };
  expect(await read('?days=2')).toEqual({
    days: 2,
    currency: 'INR',
    timezone: 'Asia/Kolkata',
    current: {
      orders: 4,
      revenue: '157.00',
      // Of the refunded order nothing, and four fifths of 40.01.
      net_revenue: '132.01',
      refunded: '17.00',
      avg_order_value: '52.33',
      other_currencies: [eur],
      days: [
        {
          date: '2026-03-09',
          orders: 3,
          revenue: '57.00',
          net_revenue: '32.01',
          refunded: '17.00',
          avg_order_value: '28.50',
        },
        { date: '2026-03-10', ...whole },
      ],
    },
    previous: {
      ...whole,
      other_currencies: [],
      days: [
        { date: '2026-03-07', ...nothing },
        { date: '2026-03-08', ...whole },
      ],
    },
  });
});

// Clocks change at 2:00, at midnight (also twice through it), by half an hour, and over a whole day.
const clockChanges = [
  ['America/New_York', '2026-03-08T07:00:00Z'],
  ['Europe/Berlin', '2025-10-26T01:00:00Z'],
  ['America/Havana', '2025-11-02T05:00:00Z'],
  ['America/Sao_Paulo', '2018-11-04T03:00:00Z'],
  ['Africa/Cairo', '2025-04-24T22:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
  ['Asia/Kathmandu', '2026-01-01T00:00:00Z'],
] as const;

test.each(clockChanges)(
  'the days of %s around a change of its clock are those of a calendar',
  async (timezone, change) => {
    const { tenant, read } = await shop(timezone);
    const order = fc.record({
      // Often within hours of the change.
      at: fc
        .tuple(fc.constantFrom(-9, -3, -2, -1, 0, 0, 1), fc.integer({ min: -20, max: 20 }))
        .map(([days, quarters]) => {
          return new Date(Date.parse(change) + days * day + quarters * 900_000);
        }),
      status: fc.constantFrom(...statuses),
      currency: fc.constantFrom('INR', 'INR', 'INR', 'EUR', 'USD'),
      cents: fc.integer({ min: 0, max: 1_000_000 }),
      share: fc.constantFrom(0, 0, 0.5, 0.3, 1),
      tax: fc.constantFrom(0, 0.15),
      shipping: fc.constantFrom(0, 0.1),
      isDeleted: fc.constantFrom(false, false, false, true),
    });
    const placed = order.map(({ share, tax, shipping, ...fields }) => ({
      ...fields,
      taxCents: Math.floor(fields.cents * tax),
      shippingCents: Math.floor(fields.cents * shipping),
      refundedCents: Math.floor(fields.cents * share),
    }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(placed, { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: -24, max: 4 * 24 }),
        async (orders, days, hours) => {
          now = new Date(Date.parse(change) + hours * 3_600_000);
          await tenant.db.run(sql`DELETE FROM orders`);
          await insertOrders(tenant, orders);
          expect(await read(`?days=${days}`)).toEqual(computeNaively(orders, { days, timezone }));
        },
      ),
      { numRuns: 25 },
    );
  },
);

test('the first day includes the hour that its clock shows twice', async () => {
  now = new Date('2025-11-03T22:00:00Z');
  const { tenant, read } = await shop('America/Havana');
  await insertOrders(tenant, [
    { ...tea, at: new Date('2025-11-02T03:59:59Z') },
    { ...tea, at: new Date('2025-11-02T04:00:00Z') },
    { ...tea, at: new Date('2025-11-02T05:30:00Z') },
  ]);
  const { previous } = await read('?days=1');
  expect(previous.days).toMatchObject([{ date: '2025-11-02', orders: 2 }]);
});

test('amounts beyond what a number holds are exact', async () => {
  now = new Date('2026-03-10T10:00:00Z');
  const { tenant, read } = await shop();
  await tenant.db.run(sql`
    INSERT INTO orders (id, number, order_number, customer_id, status, currency, total, placed_at, created_at, updated_at)
    SELECT gen_random_uuid(), n, n::text, gen_random_uuid(), 'delivered', 'INR', 9999999999.99, ${now}, ${now}, ${now}
    FROM generate_series(1, 20000) n`);
  expect((await read('?days=7')).current.revenue).toBe(fromCents(toCents('9999999999.99') * 20_000n));
});

test('reading uses the index on the time', async () => {
  const { tenant, read } = await shop();
  await tenant.db.run(sql`
    INSERT INTO orders (id, number, order_number, customer_id, status, currency, total, placed_at, created_at, updated_at)
    SELECT gen_random_uuid(), n, n::text, gen_random_uuid(), 'delivered', 'INR', 1, t, t, t
    FROM generate_series(1, 20000) n, LATERAL (SELECT ${now}::timestamptz - n * interval '2 hours' AS t) AS at`);
  await tenant.db.run(sql`ANALYZE orders`);
  const scans = async () => {
    await tenant.db.run(sql`SELECT pg_stat_force_next_flush()`);
    return tenant.db.row<{ seq: number }>(sql`
      SELECT seq_scan::integer AS seq FROM pg_stat_user_tables WHERE relname = 'orders'`);
  };
  const before = await scans();
  expect((await read('?days=90')).current.orders).toBeGreaterThan(1_000);
  expect(await scans()).toEqual(before);
});

test('amounts have the decimals of the currency', async () => {
  now = new Date('2026-03-10T10:00:00Z');
  const { tenant, read } = await shop();
  await tenant.caller('settings.edit').patch('/api/v1/settings', { 'general.currency': 'KWD' });
  await tenant.db.run(sql`
    INSERT INTO orders (id, number, order_number, customer_id, status, currency, total, refunded_total, placed_at, created_at, updated_at)
    SELECT gen_random_uuid(), n, n::text, gen_random_uuid(), 'delivered', currency, total, refunded, ${now}, ${now}, ${now}
    FROM (VALUES (1, 'KWD', 10.005, 0.002), (2, 'KWD', 1, 0), (3, 'JPY', 100, 0), (4, 'JPY', 25, 1)) AS t (n, currency, total, refunded)`);
  const { current } = await read('?days=7');
  expect(current).toMatchObject({ revenue: '11.005', net_revenue: '11.003', avg_order_value: '5.503' });
  expect(current.other_currencies).toMatchObject([{ currency: 'JPY', revenue: '125.00', avg_order_value: '63.00' }]);
});

test('days are limited, and viewing orders is needed', async () => {
  const { tenant } = await shop();
  const refused = await tenant.caller('reports.view').get('/api/v1/orders/statistics?days=367');
  expect({ status: refused.status, codes: refused.body.error_codes }).toEqual({
    status: 422,
    codes: { days: ['too_large'] },
  });
  expect((await tenant.caller('orders.view').get('/api/v1/orders/statistics')).status).toBe(403);
});
