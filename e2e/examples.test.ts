import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { startInstalledPlatform } from './platform.ts';

/* The programs in `examples/`, as processes beside a platform in another process. */

// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
type Any = any;

const execute = promisify(execFile);
const examples = resolve(import.meta.dirname, '../examples');
const platform = await startInstalledPlatform(undefined, afterAll);
const folder = await mkdtemp(join(tmpdir(), 'chowk-examples-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function send(method: string, path: string, body?: object): Promise<Any> {
  const { url, tenant, token } = platform;
  const headers = { authorization: `Bearer ${token}`, 'x-tenant': tenant, 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function environmentFor(name: string, scopes: readonly string[], more: Record<string, string>) {
  const { api_client: client, client_secret: secret } = await send('POST', '/api-clients', { name, scopes });
  const { url, tenant } = platform;
  const own = { CHOWK_URL: url, CHOWK_TENANT: tenant, CHOWK_CLIENT_ID: client.id, CHOWK_CLIENT_SECRET: secret };
  return { PATH: process.env.PATH ?? '', ...own, ...more };
}

/** Starts an example, and ends it with the file. Settles with the line of its output that matches. */
async function start(
  path: string,
  env: Record<string, string>,
  line: RegExp,
): Promise<{ child: ChildProcess; found: string }> {
  const child = spawn(process.execPath, [join(examples, path)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  afterAllChildren.push(child);
  return { child, found: await findLine(child, line) };
}

const afterAllChildren: ChildProcess[] = [];
afterAll(() => {
  for (const child of afterAllChildren) child.kill('SIGKILL');
});

function findLine(child: ChildProcess, line: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      const [found] = line.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${output}`)));
  });
}

async function eventually(check: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + 20_000; ; await wait(50)) {
    const error = await check().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (error === undefined) return;
    if (Date.now() > end) throw error;
  }
}

test('erp-sync has every record after kills at any time, and corrects stock', { timeout: 120_000 }, async () => {
  const scopes = ['customers.view', 'orders.view', 'activity.view', 'products.view', 'products.edit'];
  const erp = join(folder, 'erp');
  const env = await environmentFor('ERP', scopes, { ERP_FOLDER: erp });
  const run = () => execute(process.execPath, [join(examples, 'erp-sync/sync.ts')], { env });
  const ids = async (table: string) =>
    (await readdir(join(erp, table)).catch(() => []))
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.replace('.json', ''))
      .sort();
  const create = async (number: number) => {
    const { customer } = await send('POST', '/customers', { first_name: `Ravi ${number}` });
    const items = [{ name: 'Rice', quantity: 1, price: '40.00' }];
    await send('POST', '/orders', { customer: { id: customer.id }, items });
    return customer.id as string;
  };
  const before = [await create(1), await create(2), await create(3)];
  expect((await run()).stdout).toContain('copied 6 records');
  expect(await ids('customers')).toEqual(before.toSorted());

  await send('POST', '/products', { sku: 'TEA-250', title: 'Tea', price: '49.50', stock: 3 });
  await writeFile(join(erp, 'stock.json'), JSON.stringify({ 'TEA-250': 20, UNKNOWN: 1 }));
  const [first = '', second = '', third = ''] = before;
  await send('POST', '/customers/merge', { primary_id: first, secondary_id: second });
  await send('DELETE', `/customers/${third}?mode=hard`);
  for (let number = 4; number < 24; number += 1) await create(number);
  // Killed in the middle of its work, again and again.
  for (const delay of [150, 300, 450, 600]) {
    const child = spawn(process.execPath, [join(examples, 'erp-sync/sync.ts')], { env, stdio: 'ignore' });
    await wait(delay);
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  await run();
  const { customers } = await send('GET', '/customers?limit=100');
  const { orders } = await send('GET', '/orders?limit=100');
  expect(await ids('customers')).toEqual(customers.map(({ id }: Any) => id).sort());
  expect(await ids('orders')).toEqual(orders.map(({ id }: Any) => id).sort());
  const copy = JSON.parse(await readFile(join(erp, 'customers', `${first}.json`), 'utf8'));
  expect(copy.total_orders).toBe(2);
  expect((await send('GET', '/products/lookup?sku=TEA-250')).product.stock).toBe(20);
  expect((await run()).stdout).toBe('copied 0 records, corrected the stock of 0 products\n');

  const { tenant } = platform;
  const backup = join(folder, 'backup.zip');
  await platform.command('tenant:export', tenant, `--out=${backup}`);
  const lost = await create(24);
  await run();
  expect(await ids('customers')).toContain(lost);
  await platform.command('tenant:restore', tenant, `--from=${backup}`, `--yes=${tenant}`);
  expect((await run()).stdout).toContain(`copied ${customers.length + orders.length} records`);
  expect(await ids('customers')).toEqual(customers.map(({ id }: Any) => id).sort());
});

test('storefront shows products, prices a cart and places each cart once', { timeout: 60_000 }, async () => {
  const scopes = ['products.view', 'orders.view', 'orders.create', 'orders.edit'];
  await send('POST', '/products', { sku: 'CUP-1', title: 'Cup', price: '120.00', stock: 5 });
  const env = await environmentFor('Storefront', scopes, { PORT: '0' });
  const { found } = await start('storefront/server.ts', env, /http:\S+/);
  const shop = async (path: string, body?: object): Promise<Any> => {
    const response = await fetch(found + path, body ? { method: 'POST', body: JSON.stringify(body) } : {});
    return { status: response.status, ...((await response.json()) as object) };
  };
  const { products } = await shop('/products');
  expect(products).toContainEqual(expect.objectContaining({ sku: 'CUP-1', title: 'Cup', price: '120.00' }));
  const cart = { id: 'c-1', items: [{ sku: 'CUP-1', quantity: 2 }] };
  expect(await shop('/cart', cart)).toMatchObject({ status: 200, preview: { total: '240.00' } });
  const customer = { first_name: 'Asha', phone: '+919876543210' };
  const placed = await shop('/orders', { ...cart, customer });
  expect(placed).toMatchObject({ status: 200, total: '240.00', payment_url: null });
  expect(await shop('/orders', { ...cart, customer })).toEqual(placed);
  const tooMany = { id: 'c-2', items: [{ sku: 'CUP-1', quantity: 9 }], customer };
  expect(await shop('/orders', tooMany)).toMatchObject({ status: 409, code: 'products.insufficient_stock' });
  expect(await shop('/orders', { ...tooMany, items: [] })).toMatchObject({ status: 422, fields: { items: [{}] } });
});

test('support-bot answers the owner of an order once, also after it was killed', { timeout: 60_000 }, async () => {
  const scopes = ['conversations.view', 'conversations.reply', 'customers.view', 'orders.view', 'activity.view'];
  const { customer } = await send('POST', '/customers', { first_name: 'Leela', email: 'leela@example.com' });
  const items = [{ name: 'Rice', quantity: 1, price: '40.00' }];
  const { order } = await send('POST', '/orders', { customer: { id: customer.id }, items, status: 'confirmed' });
  const env = await environmentFor('Bot', scopes, { CURSOR_FILE: join(folder, 'bot-cursor') });
  const { child } = await start('support-bot/bot.ts', env, /ready/);
  const ask = async (customerId: string) => {
    const message = { body: `Where is my order ${order.order_number}?`, direction: 'inbound' };
    const { conversation } = await send('POST', '/conversations', {
      customer: { id: customerId },
      channel: 'email',
      message,
    });
    return conversation.id as string;
  };
  const answers = async (id: string) =>
    (await send('GET', `/conversations/${id}/messages`)).messages.filter(
      ({ direction }: Any) => direction === 'outbound',
    );
  const first = await ask(customer.id);
  await eventually(async () =>
    expect(await answers(first)).toMatchObject([{ body: expect.stringContaining('is confirmed') }]),
  );

  child.kill('SIGKILL');
  await once(child, 'exit');
  await rm(join(folder, 'bot-cursor'), { force: true });
  const { customer: stranger } = await send('POST', '/customers', { first_name: 'Mallory', email: 'm@example.com' });
  const guessed = await ask(stranger.id);
  const second = await ask(customer.id);
  // It has lost its cursor and reads all messages again.
  await start('support-bot/bot.ts', env, /answered/);
  await eventually(async () => expect(await answers(second)).toHaveLength(1));
  expect(await answers(first)).toHaveLength(1);
  expect(await answers(guessed)).toEqual([]);
});
