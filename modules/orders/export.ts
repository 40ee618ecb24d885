import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Answer, and, type Ctx, download, inert, type Sql, sql } from '@chowk/kit';
import { columns, seen } from './columns.ts';
import { withCustomers } from './customers.ts';
import { conditions, orderBy } from './filters.ts';
import type { ExportQuery, Item, ListedOrder, Order } from './schemas.ts';

/** As many as are looked up together. */
const batchSize = 200;

/** Every order that the filters find, as of one moment; one row an order. */
export async function exportOrders(
  ctx: Ctx,
  { format, sort_by, sort_order, ...filters }: ExportQuery,
): Promise<Answer> {
  const found = await conditions(ctx, filters);
  const query = sql`
    SELECT ${columns()} FROM orders o WHERE o.deleted_at IS NULL ${and(found)}
    ORDER BY ${orderBy({ sort_by, sort_order })}`;
  return download(ctx, { name: 'orders', format, rows: inOneTransaction(ctx, query), columns: csvColumns });
}

const text = (value: string | null | undefined) => inert(value ?? '');

const csvColumns: Readonly<Record<string, (order: ListedOrder) => string>> = {
  order_number: ({ order_number }) => text(order_number),
  status: ({ status }) => status,
  customer_id: ({ customer_id }) => customer_id,
  first_name: ({ customer }) => text(customer?.first_name),
  last_name: ({ customer }) => text(customer?.last_name),
  email: ({ customer }) => text(customer?.email),
  phone: ({ customer }) => text(customer?.phone),
  currency: ({ currency }) => currency,
  total: ({ total }) => total,
  refunded_total: ({ refunded_total }) => refunded_total,
  items: ({ items }) => text(items.map(itemText).join('; ')),
  note: ({ note }) => text(note),
  placed_at: ({ placed_at }) => placed_at,
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
};

function itemText({ quantity, name, sku }: Item): string {
  return `${quantity} × ${name}${sku === null ? '' : ` (${sku})`}`;
}

/**
 * Orders and their customers are read over one connection: exports that each held one and waited for a second could
 * wait for each other. The transaction begins with the first row that is asked for, and ends when the reader does.
 */
async function* inOneTransaction(ctx: Ctx, query: Sql): AsyncGenerator<ListedOrder> {
  const rows = new PassThrough({ objectMode: true, highWaterMark: batchSize });
  ctx.tx((tx) => pipeline(listed(tx, query), rows)).catch((error) => rows.destroy(error));
  yield* rows;
}

async function* listed(ctx: Ctx, query: Sql): AsyncGenerator<ListedOrder> {
  let batch: Order[] = [];
  for await (const order of ctx.db.stream<Order>(query)) {
    batch.push(seen(ctx, order));
    if (batch.length < batchSize) continue;
    yield* await withCustomers(ctx, batch);
    batch = [];
  }
  yield* await withCustomers(ctx, batch);
}
