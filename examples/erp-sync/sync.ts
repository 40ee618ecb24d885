import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ChowkError, createClient, type Event, type EventData, type EventPage } from '@chowk/client';
import { Erp } from './erp.ts';

/* Runs every night: copies what has changed since the last night to the ERP, then sends the stock of the ERP to the shop. */

const {
  CHOWK_URL: url,
  CHOWK_TENANT: tenant,
  CHOWK_CLIENT_ID: id = '',
  CHOWK_CLIENT_SECRET: secret = '',
  ERP_FOLDER: folder = 'erp',
} = process.env;
// At night it may wait: a limit of requests is no reason to fail.
const chowk = createClient({ url, tenant, apiClient: { id, secret }, maxRetryWait: 300, retries: 5 });
const erp = new Erp(folder);

const copied = await copyChanges();
const corrected = await sendStock();
console.log(`copied ${copied} records, corrected the stock of ${corrected} products`);

/** The cursor is stored after its events, so that a run that is killed applies some of them twice and misses none. */
async function copyChanges(): Promise<number> {
  const known = await erp.readCursor();
  let page = known === undefined ? undefined : await readEvents(known);
  if (!page) return copyEverything();
  for (let count = 0; ; page = await readEvents(page.pagination.next_cursor)) {
    if (!page) return count + (await copyEverything());
    count += await apply(page.events);
    await erp.writeCursor(page.pagination.next_cursor);
    if (!page.pagination.has_more) return count;
  }
}

/** `undefined` if everything must be read again: events have been deleted since the last run, or the shop was restored from a backup. */
async function readEvents(cursor: string): Promise<EventPage | undefined> {
  try {
    const page = await chowk.events.list({ type: ['customer.*', 'order.*', 'tenant.restored'], cursor, limit: 100 });
    return page.events.some(({ type }) => type === 'tenant.restored') ? undefined : page;
  } catch (error) {
    if (error instanceof ChowkError && error.code === 'events.cursor_expired') return undefined;
    throw error;
  }
}

/** The number of records that have changed. */
async function apply(events: readonly Event[]): Promise<number> {
  for (const { type, data } of events) {
    if (type === 'customer.merged') {
      await erp.remove('customers', (data as EventData['customer.merged']).removed_id);
    }
  }
  const changed = (prefix: string) => {
    const own = events.filter(({ type }) => type.startsWith(prefix));
    return [...new Set(own.flatMap(({ resource_id }) => resource_id ?? []))];
  };
  const customers = changed('customer.');
  await refresh('customers', customers, async (ids) => (await chowk.customers.list({ ids, limit: 100 })).customers);
  const orders = changed('order.');
  await refresh('orders', orders, async (ids) => (await chowk.orders.list({ ids, limit: 100 })).orders);
  return customers.length + orders.length;
}

/** The records as they are now. Those that the shop no longer has are removed. */
async function refresh(
  table: string,
  ids: string[],
  read: (ids: string[]) => Promise<readonly { readonly id: string }[]>,
): Promise<void> {
  if (ids.length === 0) return;
  const records = new Map((await read(ids)).map((record) => [record.id, record]));
  for (const id of ids) {
    const record = records.get(id);
    if (record) await erp.save(table, record);
    else await erp.remove(table, id);
  }
}

/** The position in the events is taken first: what changes meanwhile is read again. Records that the shop does not have are removed. */
async function copyEverything(): Promise<number> {
  const { pagination } = await chowk.events.list({ from: new Date().toISOString(), limit: 1 });
  const count =
    (await copyTable('customers', chowk.customers.list.all())) + (await copyTable('orders', chowk.orders.list.all()));
  await erp.writeCursor(pagination.next_cursor);
  return count;
}

async function copyTable(table: string, records: AsyncIterable<{ readonly id: string }>): Promise<number> {
  const gone = new Set(await erp.ids(table));
  let count = 0;
  for await (const record of records) {
    await erp.save(table, record);
    gone.delete(record.id);
    count += 1;
  }
  for (const id of gone) await erp.remove(table, id);
  return count;
}

/** `stock.json` of the ERP has units by SKU. The change is relative, so that sales of the night are not overwritten. */
async function sendStock(): Promise<number> {
  const text = await readFile(join(erp.folder, 'stock.json'), 'utf8').catch(() => '{}');
  const units = new Map(Object.entries(JSON.parse(text) as Record<string, number>));
  const skus = [...units.keys()];
  let corrected = 0;
  while (skus.length > 0) {
    const { variants } = await chowk.products.listVariants({ skus: skus.splice(0, 100), limit: 100 });
    const items = variants.flatMap(({ sku, stock }) => {
      const change = (units.get(sku) ?? stock) - stock;
      return change === 0 ? [] : [{ sku, change, reason: 'ERP' }];
    });
    if (items.length === 0) continue;
    const { succeeded, results } = await chowk.products.changeStocks({ items }, { idempotencyKey: true });
    corrected += succeeded;
    for (const { index, error } of results) if (error) console.error(`${items[index]?.sku}: ${error.message}`);
  }
  return corrected;
}
