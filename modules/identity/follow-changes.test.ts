import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Db, raw, sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startAccounts } from '../../server/testing/accounts.ts';
import { eventually } from '../../server/testing/eventually.ts';

const platform = await startAccounts({ environment: { RATE_LIMIT_PER_MINUTE: '1000000' } });
const acme = await platform.tenant({ role: 'platform_owner' });
const asha = await platform.person({ tenant: acme });
const central = platform.kernel.central.db;
const api = (path: string) => `/api/v1${path}`;

async function create(path: string, body: object): Promise<{ id: string } & Record<string, unknown>> {
  const response = await asha.post(api(path), body);
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  const { message: _, ...records } = response.body;
  return Object.values(records)[0] as never;
}

const three = <Result>(make: (n: number) => Promise<Result>) => Promise.all([1, 2, 3].map(make));

const [product] = await three((n) => create('/products', { title: `Tea ${n}`, sku: `TEA-${n}`, price: '5', stock: 9 }));
await three((n) => create('/stock-locations', { name: `Store ${n}` }));
const anyPrice = { conditions: [{ field: 'price', operator: 'above', value: '1' }] };
const [collection] = await three((n) => create('/collections', { title: `Collection ${n}`, rule: anyPrice }));
const [order] = await three((n) =>
  create('/orders', { customer: { email: `c${n}@example.com` }, items: [{ name: 'Tea', quantity: 1, price: '5' }] }),
);
await three((n) => create('/draft-orders', { items: [{ name: `Tea ${n}`, quantity: 1, price: '5' }] }));
for (const n of [1, 2, 3]) {
  const items = [{ name: 'Tea', quantity: n, price: '5' }];
  const { id } = await create('/orders', { customer: { email: `c${n}@example.com` }, items, status: 'confirmed' });
  await create(`/orders/${id}/invoice`, {});
}
const [conversation] = await three((n) =>
  create('/conversations', {
    customer: { id: order?.customer_id },
    channel: 'email',
    subject: `Where is parcel ${n}?`,
    message: { direction: 'inbound', body: 'Hello' },
  }),
);
await three((n) => acme.context('orders').notify(asha.id, { type: 'order.created', title: `Order ${n}` }));
const [rule] = await three((n) =>
  create('/notification-rules', {
    name: `Rule ${n}`,
    event: 'order.created',
    channel: 'email',
    template: { subject: 'Thank you', body: 'Hello' },
  }),
);
const [webhook] = await three((n) =>
  create('/webhooks', { url: `https://example.com/${n}`, events: ['order.created'] }),
);
await three((n) => create('/discounts', { code: `CODE-${n}`, kind: 'percent', value: 10 }));
await three((n) => create('/tax-rates', { name: `Tax ${n}`, country: 'IN', rate: 18 }));
const [zone] = await three((n) => create('/shipping-zones', { name: `Zone ${n}`, regions: [{ country: 'IN' }] }));
await three((n) => create('/shipping-rates', { zone_id: zone?.id, name: `Rate ${n}`, price: 50 }));
await three((n) =>
  acme.db.run(sql`
    INSERT INTO payment_links (id, order_id, provider, amount, currency, status, expires_at, created_at, updated_at)
    VALUES (${randomUUID()}, ${order?.id}, 'stripe', ${n}, 'INR', 'open', now(), now(), now())`),
);
await three((n) => create('/invitations', { email: `i${n}@example.com`, role: 'Agent' }));
await three(() => platform.person({ tenant: acme }));
const [code] = await three((n) => create('/admin/referral-codes', { code: `FOLLOW-${n}`, kyc_required: true }));
await three((n) =>
  create('/reseller-register/apply', {
    referral_code: code?.code,
    business_name: `Shop ${n}`,
    contact_name: 'Ravi',
    email: `r${n}@example.com`,
  }),
);
await asha.patch(api('/profile'), { name: 'Asha R' });
await three(async (n) => {
  await acme.db.run(sql`
    INSERT INTO messages (id, channel, provider, status, rule_id, event_id, created_at, updated_at)
    VALUES (${randomUUID()}, 'email', 'log', 'sent', ${rule?.id}, ${randomUUID()}, now(), now())`);
  await acme.db.run(sql`
    INSERT INTO webhook_deliveries (id, webhook_id, event_id, event, status, task_id, started_at, created_at, updated_at)
    VALUES (${randomUUID()}, ${webhook?.id}, ${randomUUID()}, 'order.created', 'failed', ${randomUUID()}, now(), now(), now())`);
  const [{ id: subject }] = (await central.rows<{ id: number }>(sql`
    INSERT INTO users (name, kind) VALUES (${`Client ${n}`}, 'service') RETURNING id`)) as [{ id: number }];
  await central.run(sql`
    INSERT INTO oauth_clients (id, tenant_id, user_id, name, grants, scopes, created_by)
    VALUES (${randomUUID()}, ${acme.id}, ${subject}, ${`Client ${n}`}, '{client_credentials}', '{}', ${asha.id})`);
  const app = await create('/apps', {
    name: `App ${n}`,
    redirect_uris: ['https://example.com/callback'],
    scopes: ['orders.view'],
    acts_as: 'user',
    has_secret: false,
  });
  await central.run(sql`
    INSERT INTO app_grants (id, app_id, tenant_id, user_id, scopes)
    VALUES (${randomUUID()}, ${app.id}, ${acme.id}, ${asha.id}, '{orders.view}')`);
});

interface Followed {
  readonly path: string;
  readonly table: string;
  /** For a table whose rows are only added. */
  readonly column?: 'at' | 'sent_at';
  readonly db?: Db;
}

const lists: Readonly<Record<string, Followed>> = {
  'conversations.list': { path: '/conversations', table: 'conversations' },
  'conversations.messages': {
    path: `/conversations/${conversation?.id}/messages`,
    table: 'conversation_messages',
    column: 'sent_at',
  },
  'customers.list': { path: '/customers', table: 'customers' },
  'invoices.list': { path: '/invoices', table: 'invoices' },
  'notifications.list': { path: '/notifications', table: 'notifications' },
  'notifications.listRules': { path: '/notification-rules', table: 'notification_rules' },
  'notifications.listRuleDeliveries': { path: `/notification-rules/${rule?.id}/deliveries`, table: 'messages' },
  'orders.list': { path: '/orders', table: 'orders' },
  'orders.listDrafts': { path: '/draft-orders', table: 'draft_orders' },
  'payments.listLinks': { path: `/orders/${order?.id}/payment-links`, table: 'payment_links' },
  'pricing.listDiscounts': { path: '/discounts', table: 'discounts' },
  'pricing.listShippingRates': { path: '/shipping-rates', table: 'shipping_rates' },
  'pricing.listShippingZones': { path: '/shipping-zones', table: 'shipping_zones' },
  'pricing.listTaxRates': { path: '/tax-rates', table: 'tax_rates' },
  'products.list': { path: '/products', table: 'products' },
  'products.listVariants': { path: '/variants', table: 'product_variants' },
  'products.listLocations': { path: '/stock-locations', table: 'stock_locations' },
  'products.listCollections': { path: '/collections', table: 'collections' },
  'products.listCollectionProducts': { path: `/collections/${collection?.id}/products`, table: 'products' },
  'products.movements': { path: `/products/${product?.id}/movements`, table: 'stock_movements', column: 'at' },
  'webhooks.list': { path: '/webhooks', table: 'webhooks' },
  'webhooks.deliveries': { path: `/webhooks/${webhook?.id}/deliveries`, table: 'webhook_deliveries' },
  'activity.list': { path: '/activity', table: 'activity_log', column: 'at', db: central },
  'apps.list': { path: '/apps', table: 'apps', db: central },
  'appGrants.list': { path: '/app-grants', table: 'app_grants', db: central },
  'apiClients.list': { path: '/api-clients', table: 'oauth_clients', db: central },
  'invitations.list': { path: '/invitations', table: 'invitations', db: central },
  'profile.activity': { path: '/profile/activity', table: 'activity_log', column: 'at', db: central },
  'team.list': { path: '/team', table: 'users', db: central },
  'onboarding.listApplications': { path: '/admin/reseller-applications', table: 'reseller_applications', db: central },
  'referralCodes.list': { path: '/admin/referral-codes', table: 'referral_codes', db: central },
  'platform.listTenants': { path: '/platform/tenants', table: 'tenants', db: central },
  'onboarding.listTenants': { path: '/admin/tenants', table: 'tenants', db: central },
};

test('every list that can be followed is tried here', () => {
  const followed = platform.kernel.actions.filter(
    ({ input, http, file }) => http && !file && 'updated_from' in (input?.properties ?? {}),
  );
  // The audit log has a test of its own: its entries cannot be written by other means. The request log is written like it.
  // The history of rings is stamped like the others; its ids are numbers that the database gives.
  const others = ['audit.list', 'rings.operations', 'apiClients.requests', 'appGrants.requests'];
  expect(followed.map(({ name }) => name).sort()).toEqual([...Object.keys(lists), ...others].sort());
});

type Row = { readonly id: string } & Readonly<Record<string, string>>;

async function read(path: string, query: string): Promise<{ rows: Row[]; pagination: Record<string, never> }> {
  const { status, body } = await asha.get(api(`${path}?${query}`));
  expect(status, JSON.stringify(body)).toBe(200);
  const { pagination, ...records } = body;
  return { rows: Object.values(records)[0] as Row[], pagination };
}

/** Changes a record with the time before it waits, and commits later. Resolves to the id of an added record. */
async function write({ table, column, db = acme.db }: Followed, id: string): Promise<string | undefined> {
  const time = new Date();
  await delay(Math.random() * 5);
  const name = raw(table);
  return db.tx(async (tx) => {
    const values = { id: randomUUID(), ...(column && { [column]: time }) };
    await tx.run(
      column
        ? sql`INSERT INTO ${name} SELECT (jsonb_populate_record(t, ${JSON.stringify(values)}::jsonb)).* FROM ${name} t
            WHERE id = ${id}::uuid`
        : sql`UPDATE ${name} SET updated_at = ${time} WHERE id::text = ${id}::text`,
    );
    await delay(Math.random() * 10);
    return column && values.id;
  });
}

const inOrder = 'sort_by=updated_at&sort_order=asc';

/** Reads what comes after the last record, and then only that. */
function followTimes({ path, column }: Followed) {
  let from = '';
  return async () => {
    const { rows } = await read(path, `${inOrder}&per_page=50${from}`);
    const last = rows.at(-1)?.[column ?? 'updated_at'];
    if (last) from = `&updated_from=${last}`;
    return rows;
  };
}

function followCursor({ path }: Followed) {
  let cursor = '';
  return async () => {
    const { rows, pagination } = await read(path, `${inOrder}&limit=50${cursor}`);
    cursor = `&cursor=${pagination.next_cursor}`;
    return rows;
  };
}

/** The last state of each record that a follower gets while `work` goes on, and after it until nothing is missing. */
async function follow<Result>(
  next: () => Promise<Row[]>,
  column: string,
  work: Promise<Result>,
  findMissing: (seen: ReadonlyMap<string, string>, result: Result) => Promise<unknown[]>,
): Promise<void> {
  const seen = new Map<string, string>();
  const poll = async () => {
    for (const row of await next()) seen.set(String(row.id), row[column] as string);
  };
  const isDone = work.then(() => true);
  while (!(await Promise.race([isDone, delay(1, false)]))) await poll();
  const result = await work;
  await eventually(async () => {
    await poll();
    expect(await findMissing(seen, result)).toEqual([]);
  });
}

test.each(Object.entries(lists))('a follower of %s misses nothing that eight writers do', async (_, list) => {
  const { path, column } = list;
  const { rows } = await read(path, 'per_page=3');
  expect(rows.length).toBeGreaterThan(0);
  const writeTen = async (writer: number) => {
    const added: (string | undefined)[] = [];
    for (let n = 0; n < 10; n += 1) added.push(await write(list, String(rows[(writer + n) % rows.length]?.id)));
    return added;
  };
  const work = Promise.all(Array.from({ length: 8 }, (_, writer) => writeTen(writer)));
  const findMissing = async (seen: ReadonlyMap<string, string>, added: unknown[][]) => {
    if (column) return added.flat().filter((id) => !seen.has(String(id)));
    const current = (await read(path, 'per_page=100')).rows;
    return current.filter(({ id, updated_at }) => seen.get(String(id)) !== updated_at);
  };
  const followers = [followTimes(list), followCursor(list)];
  await Promise.all(followers.map((next) => follow(next, column ?? 'updated_at', work, findMissing)));
});

test('a follower gets every order that eight clients create at once', async () => {
  const body = { customer: { email: 'c1@example.com' }, items: [{ name: 'Tea', quantity: 1, price: '5' }] };
  const createTwenty = async () => {
    const ids: string[] = [];
    for (let n = 0; n < 20; n += 1) ids.push((await create('/orders', body)).id);
    return ids;
  };
  const work = Promise.all(Array.from({ length: 8 }, createTwenty));
  const list = lists['orders.list'] as Followed;
  const findMissing = async (seen: ReadonlyMap<string, string>, created: string[][]) =>
    created.flat().filter((id) => !seen.has(id));
  const followers = [followTimes(list), followCursor(list)];
  await Promise.all(followers.map((next) => follow(next, 'updated_at', work, findMissing)));
});

test('a follower of the audit log gets one complete entry for each call, however many call at once', async () => {
  const items = [{ name: 'Tea', quantity: 1, price: '5' }];
  const ids: string[] = [];
  const createAndDelete = async () => {
    for (let n = 0; n < 10; n += 1) {
      const { id } = await create('/orders', { customer: { email: 'c1@example.com' }, items });
      ids.push(id);
      expect((await asha.delete(api(`/orders/${id}`))).status).toBe(200);
      expect((await asha.delete(api(`/orders/${id}`))).status).toBe(404);
    }
  };
  const work = Promise.all(Array.from({ length: 8 }, createAndDelete)).then(() => platform.kernel.audit.flush());
  const list = { path: '/audit', table: 'module_bus_audit_log' };
  const findMissing = async (seen: ReadonlyMap<string, string>) => {
    const entries = await acme.db.rows<{ id: string; resource_id: string }>(sql`
      SELECT id, resource_id FROM module_bus_audit_log`);
    return entries.filter(({ id, resource_id }) => seen.get(id) !== resource_id);
  };
  const followers = [followTimes(list), followCursor(list)];
  await Promise.all(followers.map((next) => follow(next, 'resource_id', work, findMissing)));
  const entries = await acme.db.rows(sql`
    SELECT action, outcome, count(*) AS entries, count(DISTINCT resource_id) AS orders FROM module_bus_audit_log
    WHERE resource_id = ANY(${ids}) AND transport = 'rest' GROUP BY 1, 2 ORDER BY 1, 2 DESC`);
  expect(entries).toEqual([
    { action: 'orders.create', outcome: 'ok', entries: 80, orders: 80 },
    { action: 'orders.delete', outcome: 'ok', entries: 80, orders: 80 },
    { action: 'orders.delete', outcome: 'failed', entries: 80, orders: 80 },
  ]);
});

test('a cursor at the end returns only what changes later', async () => {
  const next = followCursor(lists['products.list'] as Followed);
  const found = new Set<string>();
  await eventually(async () => {
    for (const { id } of await next()) found.add(id);
    expect(found.size).toBe(3);
  });
  await asha.patch(api(`/products/${product?.id}`), { title: 'Green tea' });
  await eventually(async () => expect(await next()).toMatchObject([{ id: product?.id, title: 'Green tea' }]));
  expect(await next()).toEqual([]);
});

test('a record that an open transaction overtakes is listed after it ends', async () => {
  const list = lists['products.list'] as Followed;
  const next = followTimes(list);
  await eventually(async () => expect(await next()).not.toHaveLength(0));
  const { promise, resolve } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const open = acme.db.tx(async (tx) => {
    await tx.run(sql`UPDATE orders SET updated_at = now() WHERE id = ${order?.id}`);
    started.resolve();
    await promise;
  });
  await started.promise;
  await asha.patch(api(`/products/${product?.id}`), { title: 'Black tea' });
  expect((await read(list.path, 'search=black')).rows).toHaveLength(1);
  expect((await next()).map(({ title }) => title)).not.toContain('Black tea');
  resolve();
  await open;
  await eventually(async () => expect((await next()).map(({ title }) => title)).toContain('Black tea'));
});

test('two changes in the same millisecond have different times', async () => {
  const touch = sql`UPDATE products SET updated_at = now() WHERE id = ${product?.id} RETURNING iso(updated_at) AS at`;
  const times = await acme.db.tx(async (tx) => [await tx.row(touch), await tx.row(touch), await tx.row(touch)]);
  expect(new Set(times.map((row) => (row as { at: string }).at)).size).toBe(3);
});
