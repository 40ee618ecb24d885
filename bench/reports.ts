import { deepStrictEqual, strictEqual } from 'node:assert';
import pg from 'pg';
import { figure, median, printTable } from './figures.ts';
import { startPlatform } from './platform.ts';
import { onStage } from './stage.ts';

/* How long does a report over a million orders of three years take, compared with adding up the orders each time? ORDERS=100000 for fewer. */

const tenant = 'bench';
const orders = Number(process.env.ORDERS ?? 1_000_000);
const rounds = 9;
const days = 1_095;

const fill = `
  INSERT INTO orders (id, number, order_number, customer_id, status, currency, total, subtotal, tax_total, taxes, placed_at, created_at, updated_at)
  SELECT gen_random_uuid(), n, n::text, gen_random_uuid(), 'delivered', 'INR', 236, 200, 36,
    '[{"name": "CGST", "rate": "9.00", "amount": "18.00"}, {"name": "SGST", "rate": "9.00", "amount": "18.00"}]', t, t, t
  FROM generate_series(1, ${orders}) n, LATERAL (SELECT now() - n * interval '${days - 2} days' / ${orders} AS t) AS at`;
const fillItems = `
  INSERT INTO order_items (id, order_id, position, name, sku, quantity, price, subtotal, tax_total, total)
  SELECT gen_random_uuid(), o.id, p, 'Product ' || (o.number + p) % 500, 'SKU-' || (o.number + p) % 500, 1, 100, 100, 18, 118
  FROM orders o, generate_series(0, 1) p`;

/** What the reports would ask for without kept figures. */
const aggregates: Readonly<Record<string, string>> = {
  day: `SELECT (placed_at AT TIME ZONE 'Asia/Kolkata')::date AS day, count(*), sum(total), sum(refunded_total), sum(tax_total)
    FROM orders WHERE deleted_at IS NULL AND status NOT IN ('pending', 'cancelled', 'failed') GROUP BY 1`,
  product: `SELECT i.sku, count(DISTINCT i.order_id), sum(i.quantity), sum(i.total), sum(i.tax_total)
    FROM orders o JOIN order_items i ON i.order_id = o.id
    WHERE o.deleted_at IS NULL AND o.status NOT IN ('pending', 'cancelled', 'failed') GROUP BY 1`,
};

const totals = `SELECT count(*)::integer AS orders, sum(total)::numeric(18, 2)::text AS revenue, sum(tax_total)::numeric(18, 2)::text AS taxes
  FROM orders WHERE deleted_at IS NULL AND status NOT IN ('pending', 'cancelled', 'failed')`;

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** A request calculates for at most ten seconds; the next one continues with the days that are left. */
async function readFirst<Report>(read: () => Promise<Report>): Promise<Report> {
  try {
    return await read();
  } catch (error) {
    if (String(error).includes('reports.calculating')) return readFirst(read);
    throw error;
  }
}

await onStage(async (stage) => {
  const platform = await startPlatform(stage, {
    storagePath: await stage.folder(),
    environment: { SPARE_DATABASES: '0' },
  });
  const { database } = await platform.post<{ database: string }>('/api/v1/bench/tenants', { id: tenant });
  const client = new pg.Client({ ...platform.database, database });
  await client.connect();
  // After a failure the platform stops before this connection is closed.
  client.on('error', () => {});
  for (const statement of [fill, fillItems, 'VACUUM ANALYZE']) await client.query(statement);
  await platform.signIn();

  const from = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10);
  const read = (group: string) =>
    platform.get<{ totals: { orders: number; revenue: string; taxes: string } }>(
      `/api/v1/reports/sales?group_by=${group}&from=${from}`,
      platform.headers(tenant),
    );
  const first = await milliseconds(async () =>
    strictEqual((await readFirst(() => read('month'))).totals.orders, orders),
  );
  const changed = `UPDATE orders SET updated_at = now() WHERE number = 1`;
  const rows: string[][] = [];
  for (const group of ['day', 'week', 'month', 'product', 'variant', 'segment', 'discount']) {
    const [kept, afterChange, direct]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round += 1) {
      kept.push(await milliseconds(() => read(group)));
      const aggregate = aggregates[group];
      if (aggregate !== undefined) direct.push(await milliseconds(() => client.query(aggregate)));
      await client.query(changed);
      afterChange.push(await milliseconds(() => read(group)));
    }
    const ratios = direct.map((value, index) => value / (kept[index] as number));
    const times = [kept, afterChange].map((values) => figure(median(values), 'ms'));
    const range = `${figure(Math.min(...ratios))}–${figure(Math.max(...ratios))}`;
    const compared =
      direct.length === 0 ? ['', '', ''] : [figure(median(direct), 'ms'), `${figure(median(ratios))}×`, range];
    rows.push([`by ${group}`, ...times, ...compared]);
  }
  const { orders: counted, revenue, taxes } = (await read('day')).totals;
  deepStrictEqual({ orders: counted, revenue, taxes }, { ...(await client.query(totals)).rows[0] });
  await client.end();
  printTable(
    `Sales of ${orders.toLocaleString('en')} orders in ${days} days, medians of ${rounds} rounds; the first report, which calculates all days, took ${figure(first / 1_000, 's')}`,
    ['', 'report', 'after an order changed', 'adding up the orders', 'faster', 'range'],
    rows,
  );
});
