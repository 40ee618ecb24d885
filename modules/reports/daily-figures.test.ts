import { fromCents, sql, toCents } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventually } from '../../server/testing/eventually.ts';
import { startPlatform, type TestCaller, type TestTenant } from '../../server/testing/platform.ts';
import { refreshPeriod } from './daily-figures.ts';
import type { SalesRow, TaxRow } from './schemas.ts';

const now = new Date('2026-03-10T10:00:00Z');
const platform = await startPlatform({ now: () => now });
const permissions = [
  ...['view', 'create', 'edit', 'cancel', 'refund', 'delete'].map((verb) => `orders.${verb}`),
  ...['view', 'create', 'edit', 'delete', 'merge'].map((verb) => `customers.${verb}`),
  ...['view', 'create', 'edit'].map((verb) => `products.${verb}`),
  'settings.edit',
  'reports.view',
];

interface Tax {
  readonly name: string;
  readonly rate: string | null;
  readonly amount: string;
}

interface StoredItem {
  readonly product_id: string | null;
  readonly variant_id: string | null;
  readonly name: string;
  readonly sku: string | null;
  readonly quantity: number;
  readonly discount_total: string;
  readonly tax_total: string;
  readonly taxes: readonly Tax[];
  readonly total: string;
}

interface StoredOrder {
  readonly customer_id: string;
  readonly status: string;
  readonly currency: string;
  readonly placed_at: string;
  readonly total: string;
  readonly refunded_total: string;
  readonly discount_total: string;
  readonly tax_total: string;
  readonly shipping_total: string;
  readonly prices_include_tax: boolean;
  readonly shipping: { discount_total: string; tax_total: string; taxes: readonly Tax[] } | null;
  readonly discounts: readonly { discount_id: string | null; source: string; title: string; amount: string }[];
  readonly taxes: readonly Tax[];
  readonly items: readonly StoredItem[];
}

const storedOrders = (tenant: TestTenant) =>
  tenant.db.rows<StoredOrder>(sql`
    SELECT o.customer_id, o.status, o.currency, o.placed_at, o.total, o.refunded_total, o.discount_total, o.tax_total, o.shipping_total,
      o.prices_include_tax, o.shipping, o.discounts, o.taxes, (SELECT json_agg(json_build_object('product_id', i.product_id, 'variant_id',
        i.variant_id, 'name', i.name, 'sku', i.sku, 'quantity', i.quantity, 'discount_total', i.discount_total::text, 'tax_total',
        i.tax_total::text, 'taxes', i.taxes, 'total', i.total::text)) FROM order_items i WHERE i.order_id = o.id) AS items
    FROM orders o WHERE o.deleted_at IS NULL`);

type Amounts = Record<
  'orders' | 'units' | 'revenue' | 'discounts' | 'refunded' | 'taxes' | 'shipping' | 'net_revenue',
  bigint
>;
interface Line extends Amounts {
  readonly key: string;
}

/** The part of the amount that is left after refunds, halves up. */
function keep(amount: bigint, order: StoredOrder): bigint {
  const [total, refunded] = [cents(order, order.total), cents(order, order.refunded_total)];
  return total === 0n ? amount : (2n * amount * (total - refunded) + total) / (2n * total);
}
const cents = ({ currency }: StoredOrder, amount: string) => toCents(amount, currency);

function netShipping(order: StoredOrder): bigint {
  const { shipping, prices_include_tax } = order;
  const discount = cents(order, shipping?.discount_total ?? '0');
  return (
    cents(order, order.shipping_total) - discount - (prices_include_tax ? cents(order, shipping?.tax_total ?? '0') : 0n)
  );
}

function orderLine(key: string, order: StoredOrder): Line {
  const amount = (text: string) => cents(order, text);
  const shipping = netShipping(order);
  return {
    key,
    orders: 1n,
    units: BigInt(order.items.reduce((sum, { quantity }) => sum + quantity, 0)),
    revenue: amount(order.total),
    discounts: amount(order.discount_total),
    refunded: amount(order.refunded_total),
    taxes: amount(order.tax_total),
    shipping,
    net_revenue: keep(amount(order.total) - amount(order.tax_total) - shipping, order),
  };
}

function itemLines(order: StoredOrder, keyFor: (item: StoredItem) => string | null): Line[] {
  const amount = (text: string) => cents(order, text);
  const seen = new Set<string>();
  return order.items.map((item) => {
    const key = keyFor(item) ?? (item.sku === null ? `name:${item.name}` : `sku:${item.sku}`);
    const isFirst = !seen.has(key);
    seen.add(key);
    const total = amount(item.total);
    return {
      key,
      orders: isFirst ? 1n : 0n,
      units: BigInt(item.quantity),
      revenue: total,
      discounts: amount(item.discount_total),
      refunded: total - keep(total, order),
      taxes: amount(item.tax_total),
      shipping: 0n,
      net_revenue: keep(total - amount(item.tax_total), order),
    };
  });
}

function discountLines(order: StoredOrder): Line[] {
  const groups = Map.groupBy(order.discounts, ({ discount_id, source, title }) => discount_id ?? `${source}:${title}`);
  return [...groups].map(([key, list]) => ({
    ...orderLine(key, order),
    discounts: list.reduce((sum, { amount }) => sum + cents(order, amount), 0n),
  }));
}

/** Order by order, without SQL. */
function computeSales(orders: readonly StoredOrder[], group: string, { timezone, segments }: View): object[] {
  const lines = orders.flatMap((order): Line[] => {
    const day = new Date(order.placed_at).toLocaleDateString('sv-SE', { timeZone: timezone });
    if (group === 'day') return [orderLine(day, order)];
    if (group === 'product') return itemLines(order, ({ product_id }) => product_id);
    if (group === 'variant') return itemLines(order, ({ variant_id }) => variant_id);
    if (group === 'discount') return discountLines(order);
    return [...segments].filter(([, ids]) => ids.has(order.customer_id)).map(([key]) => orderLine(key, order));
  });
  return [...Map.groupBy(lines, ({ key }) => key)]
    .map(([key, list]) => {
      const sum = (name: keyof Amounts) => list.reduce((total, line) => total + line[name], 0n);
      const money = (name: keyof Amounts) => fromCents(sum(name), 'INR');
      const [revenue, discounts, refunded, taxes] = (['revenue', 'discounts', 'refunded', 'taxes'] as const).map(money);
      const rest = { shipping: money('shipping'), net_revenue: money('net_revenue') };
      return {
        key,
        orders: Number(sum('orders')),
        units: Number(sum('units')),
        revenue,
        discounts,
        refunded,
        taxes,
        ...rest,
      };
    })
    .sort(byKey);
}

const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1);

function computeTaxes(orders: readonly StoredOrder[]) {
  const lines = orders.flatMap((order) =>
    order.taxes.map(({ name, rate, amount }) => {
      const isIt = (tax: Tax) => tax.name === name && tax.rate === rate;
      const items = order.items.filter(({ taxes }) => taxes.some(isIt));
      const onShipping = order.shipping?.taxes.some(isIt) ? [netShipping(order)] : [];
      const bases = [...items.map((item) => cents(order, item.total) - cents(order, item.tax_total)), ...onShipping];
      const all = cents(order, order.total) - cents(order, order.tax_total);
      const tax = cents(order, amount);
      const taxable = bases.length === 0 ? all : bases.reduce((sum, base) => sum + base, 0n);
      return { name, rate, taxable, tax, refunded: tax - keep(tax, order) };
    }),
  );
  return [...Map.groupBy(lines, ({ name, rate }) => `${name} ${rate}`)]
    .map(([key, list]) => {
      const sum = (field: 'taxable' | 'tax' | 'refunded') => list.reduce((total, line) => total + line[field], 0n);
      return {
        key,
        orders: list.length,
        taxable: fromCents(sum('taxable')),
        tax: fromCents(sum('tax')),
        refunded_tax: fromCents(sum('refunded')),
        net_tax: fromCents(sum('tax') - sum('refunded')),
      };
    })
    .sort(byKey);
}

interface View {
  readonly timezone: string;
  readonly segments: ReadonlyMap<string, ReadonlySet<string>>;
}

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller(...permissions);
  const send = async (path: string, body: object) => {
    const answer = await caller.post(`/api/v1${path}`, body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  };
  await send('/products', {
    sku: 'TEA',
    title: 'Tea',
    price: '99.99',
    options: [{ name: 'Size', values: ['S', 'L'] }],
    variants: [
      { sku: 'TEA-S', options: { Size: 'S' }, continue_selling: true },
      { sku: 'TEA-L', price: '33.35', options: { Size: 'L' }, continue_selling: true },
    ],
  });
  for (const name of ['CGST', 'SGST']) await send('/tax-rates', { name, country: 'IN', rate: 9 });
  await send('/discounts', { code: 'TEN', kind: 'percent', value: 10, combines: true });
  await send('/discounts', { code: 'FREE', kind: 'free_shipping', combines: true });
  return { tenant, caller };
}

/** What must hold after every step: each report is what the orders add up to. */
async function expectEqual(tenant: TestTenant, caller: TestCaller, timezone: string) {
  const all = await storedOrders(tenant);
  const counted = all.filter(({ status, currency }) => {
    return currency === 'INR' && !['pending', 'cancelled', 'failed'].includes(status);
  });
  const period = 'from=2026-01-01&to=2026-12-31&per_page=100';
  const segments = new Map<string, Set<string>>();
  for (const key of ['returning', 'loyal', 'vip', 'marketing']) {
    const { body } = await caller.get(`/api/v1/customers?segment=${key}&per_page=100`);
    segments.set(key, new Set(body.customers.map(({ id }: { id: string }) => id)));
  }
  for (const group of ['day', 'product', 'variant', 'discount', 'segment']) {
    const { body } = await caller.get(`/api/v1/reports/sales?group_by=${group}&${period}`);
    const rows = (body.rows as SalesRow[])
      .filter((row) => row.orders > 0)
      .map(({ name: _, code: __, ...row }) => row)
      .sort(byKey);
    expect({ group, rows }).toEqual({ group, rows: computeSales(counted, group, { timezone, segments }) });
  }
  const { body } = await caller.get('/api/v1/reports/taxes?from=2026-01-01&to=2026-12-31');
  const taxes = (body.taxes as TaxRow[])
    .map(({ name, rate, ...row }) => ({ key: `${name} ${rate}`, ...row }))
    .sort(byKey);
  expect(taxes).toEqual(computeTaxes(counted));
}

const timezones = ['Asia/Kolkata', 'America/New_York', 'Pacific/Apia'];
const pick = fc.nat({ max: 20 });
const item = fc.oneof(
  fc.record({ sku: fc.constantFrom('TEA-S', 'TEA-L'), quantity: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    name: fc.constantFrom('Cup', 'Spoon'),
    price: fc.constantFrom('0.35', '7.77'),
    quantity: fc.integer({ min: 1, max: 3 }),
  }),
);
const items = fc.array(item, { minLength: 1, maxLength: 3 });
const placed_at = fc
  .integer({ min: 0, max: 60 })
  .map((hours) => new Date(now.getTime() - hours * 3_600_000).toISOString());
const newOrder = fc.record(
  {
    items,
    placed_at,
    status: fc.constantFrom('pending', 'confirmed', 'confirmed', 'shipped', 'delivered'),
    customer: fc.record({ email: fc.constantFrom('a@example.com', 'b@example.com', 'c@example.com') }),
    discount_codes: fc.subarray(['TEN', 'FREE']),
    discounts: fc.constantFrom([], [{ title: 'Regular', kind: 'fixed', value: '1.11' }]),
    shipping: fc.constant({ title: 'Post', price: '12.50' }),
    shipping_address: fc.constant({ country: 'IN' }),
    currency: fc.constantFrom('INR', 'INR', 'INR', 'EUR'),
  },
  { requiredKeys: ['items', 'placed_at', 'status', 'customer'] },
);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('create' as const), order: newOrder }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      pick,
      fields: fc.oneof(fc.record({ items }), fc.record({ placed_at })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      pick,
      status: fc.constantFrom('confirmed', 'shipped', 'cancelled', 'failed', 'pending'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('refund' as const),
      pick,
      amount: fc.constantFrom('1.00', '3.33', undefined),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('merge' as const), pick, other: pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('timezone' as const), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prices' as const), isIncluded: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Steps that the rules refuse change nothing. */
async function play(tenant: TestTenant, caller: TestCaller, current: Step): Promise<void> {
  const api = (path: string) => `/api/v1${path}`;
  const ids = async (table: 'orders' | 'customers') => {
    const { body } = await caller.get(api(`/${table}?per_page=100`));
    return (body[table] as { id: string }[]).map(({ id }) => id).sort();
  };
  const pickOne = (list: readonly string[], index: number) => list[index % list.length];
  if (current.kind === 'create') await caller.post(api('/orders'), current.order);
  else if (current.kind === 'prices')
    await caller.patch(api('/settings'), { 'pricing.prices_include_tax': current.isIncluded });
  else if (current.kind === 'timezone') {
    await caller.patch(api('/settings'), { 'general.timezone': pickOne(timezones, current.pick) });
  } else if (current.kind === 'merge' || current.kind === 'erase') {
    const customers = await ids('customers');
    const first = pickOne(customers, current.pick);
    if (first === undefined) return;
    if (current.kind === 'erase') await caller.delete(api(`/customers/${first}?mode=hard`));
    else
      await caller.post(api('/customers/merge'), {
        primary_id: first,
        secondary_id: pickOne(customers, current.other),
      });
  } else {
    const id = pickOne(await ids('orders'), current.pick);
    if (id === undefined) return;
    if (current.kind === 'edit') await caller.patch(api(`/orders/${id}`), current.fields);
    if (current.kind === 'status') await caller.post(api(`/orders/${id}/status`), { status: current.status });
    if (current.kind === 'delete') await caller.delete(api(`/orders/${id}`));
    if (current.kind === 'refund') {
      await tenant.db.run(
        sql`UPDATE orders SET paid_total = total WHERE id = ${id} AND status NOT IN ('cancelled', 'failed')`,
      );
      await caller.post(api(`/orders/${id}/refund`), current.amount === undefined ? {} : { amount: current.amount });
    }
  }
}

test('after any history, every report equals what the orders add up to', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      const { tenant, caller } = await shop();
      for (const [index, current] of steps.entries()) {
        // So that only what the step changes is calculated again.
        await caller.get('/api/v1/reports/sales');
        await play(tenant, caller, current);
        if (index % 6 !== 5 && index !== steps.length - 1) continue;
        const { 'general.timezone': timezone } = await tenant.context('reports').settings();
        await expectEqual(tenant, caller, timezone);
      }
    }),
    { numRuns: 8 },
  );
});

test('an order that is committed before a report is in it, whoever calculates the figures', async () => {
  const { tenant, caller } = await shop();
  const counts = await Promise.all(
    Array.from({ length: 24 }, async (_, index) => {
      const items = [{ name: 'Cup', quantity: 1, price: '1' }];
      const placed = { items, status: 'confirmed', customer: { email: `c${index}@example.com` } };
      expect((await caller.post('/api/v1/orders', placed)).status).toBe(201);
      const before = await tenant.db.row<{ count: number }>(sql`SELECT count(*)::integer AS count FROM orders`);
      const { body } = await caller.get('/api/v1/reports/sales');
      return { committed: before?.count ?? 0, reported: body.totals.orders as number };
    }),
  );
  for (const { committed, reported } of counts) expect(reported).toBeGreaterThanOrEqual(committed);
});

test('an order that is moved to another day leaves the one and comes to the other', async () => {
  const { caller } = await shop();
  const placed = { items: [{ name: 'Cup', quantity: 1, price: '1' }], status: 'confirmed' };
  const { body } = await caller.post('/api/v1/orders', { ...placed, placed_at: '2026-03-01T10:00:00Z' });
  const days = async () => {
    const { body: report } = await caller.get('/api/v1/reports/sales');
    return (report.rows as SalesRow[]).filter(({ orders }) => orders > 0).map(({ key }) => key);
  };
  expect(await days()).toEqual(['2026-03-01']);
  await caller.patch(`/api/v1/orders/${body.order.id}`, { placed_at: '2026-03-05T10:00:00Z' });
  expect(await days()).toEqual(['2026-03-05']);
});

test('only the days that have changed are calculated again', async () => {
  const { tenant, caller } = await shop();
  const placed = { items: [{ name: 'Cup', quantity: 1, price: '1' }], status: 'confirmed' };
  for (const day of ['2026-03-01', '2026-03-05'])
    await caller.post('/api/v1/orders', { ...placed, placed_at: `${day}T10:00:00Z` });
  await caller.get('/api/v1/reports/sales');
  // Which a calculation of that day would correct.
  await tenant.db.run(sql`UPDATE daily_figures SET orders = 7 WHERE kind = 'day' AND day = '2026-03-01'`);
  await caller.post('/api/v1/orders', { ...placed, placed_at: '2026-03-05T10:00:00Z' });
  const { body } = await caller.get('/api/v1/reports/sales');
  expect((body.rows as SalesRow[]).filter(({ orders }) => orders > 0)).toMatchObject([
    { key: '2026-03-01', orders: 7 },
    { key: '2026-03-05', orders: 2 },
  ]);
  const marks = await tenant.db.rows(sql`SELECT FROM order_changed_times`);
  expect(marks).toEqual([]);
});

test('a calculation that is interrupted is continued', async () => {
  const { tenant, caller } = await shop();
  const placed = { items: [{ name: 'Cup', quantity: 1, price: '1' }], status: 'confirmed' };
  await caller.post('/api/v1/orders', { ...placed, placed_at: '2026-03-01T10:00:00Z' });
  await caller.get('/api/v1/reports/sales');
  await tenant.db.run(sql`DELETE FROM daily_figures`);
  await tenant.db.run(sql`INSERT INTO daily_figures_pending VALUES ('2026-03-01', '2026-03-01')`);
  expect((await caller.get('/api/v1/reports/sales')).body.totals.orders).toBe(1);
});

const longAgo = async (caller: TestCaller) => {
  const placed = { items: [{ name: 'Cup', quantity: 1, price: '1' }], status: 'confirmed' };
  for (const day of ['2025-01-15', '2025-06-15', '2026-03-01']) {
    expect((await caller.post('/api/v1/orders', { ...placed, placed_at: `${day}T10:00:00Z` })).status).toBe(201);
  }
};
const countPending = async (tenant: TestTenant) =>
  (await tenant.db.rows(sql`SELECT FROM daily_figures_pending`)).length;

test('a report that takes too long says how far it is, and the next one goes on', async () => {
  const { tenant, caller } = await shop();
  await longAgo(caller);
  const days = { from: '2025-01-01', to: '2026-03-10' };
  const calculate = () => refreshPeriod(tenant.context('reports'), days, 0);
  await expect(calculate()).rejects.toMatchObject({
    code: 'reports.calculating',
    status: 409,
    message: expect.stringContaining('99 % of them are there'),
  });
  expect(await countPending(tenant)).toBe(2);
  await expect(calculate()).rejects.toMatchObject({ code: 'reports.calculating' });
  await calculate();
  const { body } = await caller.get(`/api/v1/reports/sales?from=${days.from}&to=${days.to}`);
  expect(body.totals.orders).toBe(3);
});

test('a report calculates only its days, and a job those before', async () => {
  const { tenant, caller } = await shop();
  await longAgo(caller);
  expect((await caller.get('/api/v1/reports/sales')).body.totals.orders).toBe(1);
  expect(await countPending(tenant)).toBe(2);
  await platform.kernel.work(['default']);
  await eventually(async () => expect(await countPending(tenant)).toBe(0));
  expect((await caller.get('/api/v1/reports/sales?from=2025-01-01')).body.totals.orders).toBe(3);
});
