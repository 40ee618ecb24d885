import { sql } from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { withShop } from '../../server/testing/shop-module.ts';

const platform = await startPlatform({ modules: await withShop() });
const rights = ['customers.view', 'customers.create', 'customers.edit', 'customers.merge', 'customers.view_sensitive'];

async function shop() {
  const tenant = await platform.tenant();
  const caller = tenant.caller(...rights);
  return {
    tenant,
    caller,
    all: () =>
      tenant.db.rows<Record<string, unknown>>(sql`
        SELECT id, email, first_name, external_ids, tags FROM customers WHERE deleted_at IS NULL ORDER BY created_at, id`),
    events: () =>
      tenant.db.rows<{ name: string }>(sql`SELECT name FROM shop_events WHERE name LIKE 'customer.%' ORDER BY seq`),
    audit: async () => {
      await platform.kernel.audit.flush();
      return tenant.db.rows<{ action: string; resource_id: string | null; outcome: string }>(sql`
        SELECT action, resource_id, outcome FROM module_bus_audit_log WHERE action LIKE 'customers.%' ORDER BY at, id`);
    },
  };
}
const acme = await shop();

test('a customer is created by its external id, then updated, and unchanged by the same request', async () => {
  const { caller, all, audit } = await shop();
  const url = '/api/v1/customers/by-external-id/shopify/77%2F12';
  const created = await caller.put(url, { first_name: 'Asha', tags: ['vip'], external_ids: { erp: 'A1' } });
  expect(created).toMatchObject({
    status: 201,
    body: { message: 'Customer created.', created: true, customer: { external_ids: { shopify: '77/12', erp: 'A1' } } },
  });
  const saved = await caller.put(url, { last_name: 'Rao', external_ids: { erp: null, shopify: 'other' } });
  expect(saved).toMatchObject({
    status: 200,
    body: {
      message: 'Customer saved.',
      created: false,
      customer: { first_name: 'Asha', last_name: 'Rao', tags: ['vip'], external_ids: { shopify: '77/12' } },
    },
  });
  const again = await caller.put(url, { last_name: 'Rao' });
  expect(again.body.customer).toEqual(saved.body.customer);
  const [customer] = await all();
  expect(await all()).toHaveLength(1);
  expect(await audit()).toEqual([
    { action: 'customers.upsertByExternalId', resource_id: customer?.id, outcome: 'ok' },
    { action: 'customers.upsertByExternalId', resource_id: customer?.id, outcome: 'ok' },
    { action: 'customers.upsertByExternalId', resource_id: null, outcome: 'ok' },
  ]);
});

test('a customer is created or updated by its email, regardless of case', async () => {
  const { caller, all } = await shop();
  expect((await caller.put('/api/v1/customers/by-email/Asha@Example.com', {})).status).toBe(201);
  const saved = await caller.put('/api/v1/customers/by-email/asha@example.com', { first_name: 'Asha' });
  expect(saved).toMatchObject({ status: 200, body: { customer: { email: 'asha@example.com', first_name: 'Asha' } } });
  expect(await all()).toHaveLength(1);
  const wrong = await caller.put('/api/v1/customers/by-email/asha', { tags: 'x' });
  expect(wrong.status).toBe(422);
  expect(Object.keys(wrong.body.errors).sort()).toEqual(['email', 'tags']);
});

test('an update by external id honors If-Match and follows a merge', async () => {
  const { caller } = await shop();
  const url = '/api/v1/customers/by-external-id/erp/2';
  const { body: one } = await caller.put('/api/v1/customers/by-external-id/erp/1', { first_name: 'A' });
  const { body: two } = await caller.put(url, { first_name: 'B' });
  await caller.post('/api/v1/customers/merge', { primary_id: one.customer.id, secondary_id: two.customer.id });
  const saved = await caller.put(url, { first_name: 'C' });
  expect(saved).toMatchObject({
    status: 200,
    body: { customer: { id: one.customer.id, first_name: 'C', external_ids: { erp: '1' } } },
  });
  expect((await caller.put(url, { first_name: 'D' }, { 'if-match': '"old"' })).status).toBe(412);
});

test('no two customers get the same external id on a platform', async () => {
  const { caller } = await shop();
  const { body } = await caller.post('/api/v1/customers', {
    first_name: 'A',
    external_ids: { erp: '1', shopify: '1' },
  });
  const second = await caller.post('/api/v1/customers', { first_name: 'B', external_ids: { erp: '1' } });
  expect(second).toMatchObject({
    status: 422,
    body: {
      errors: { 'external_ids.erp': ['Another customer has this id on erp.'] },
      error_codes: { 'external_ids.erp': ['taken'] },
    },
  });
  const other = await caller.post('/api/v1/customers', { first_name: 'B', external_ids: { erp: '2' } });
  const edit = await caller.request({
    method: 'PATCH',
    url: `/api/v1/customers/${other.body.customer.id}`,
    payload: { external_ids: { erp: '1' } },
  });
  expect(edit.status).toBe(422);
  await caller.request({
    method: 'PATCH',
    url: `/api/v1/customers/${body.customer.id}`,
    payload: { external_ids: { erp: null } },
  });
  const freed = await caller.post('/api/v1/customers', { first_name: 'C', external_ids: { erp: '1' } });
  expect(freed.status).toBe(201);
});

test('concurrent requests with the same key end with one customer', async () => {
  const { caller, all } = await shop();
  const names = Array.from({ length: 12 }, (_, index) => `N${index}`);
  const byId = await Promise.all(
    names.map((first_name) => caller.put('/api/v1/customers/by-external-id/erp/9', { first_name })),
  );
  expect(byId.map(({ status }) => status).sort()).toEqual([...Array(11).fill(200), 201]);
  const byEmail = await Promise.all(
    names.map((first_name, index) =>
      index % 3 === 0
        ? caller.post('/api/v1/customers', { email: 'race@example.com', first_name })
        : caller.put('/api/v1/customers/by-email/race@example.com', { first_name }),
    ),
  );
  const statuses = byEmail.map(({ status }, index) => (index % 3 === 0 ? 'post' : status));
  expect(statuses.filter((status) => status !== 'post' && status !== 200 && status !== 201)).toEqual([]);
  expect(byEmail.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(await all()).toHaveLength(2);
  const created = await Promise.all(
    names.map((first_name) => caller.post('/api/v1/customers', { first_name, external_ids: { erp: 'posted' } })),
  );
  expect(created.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(422)]);
});

test('any sequence of upserts leaves a customer for each key with the last values', async () => {
  const { caller, all } = await shop();
  const step = fc.record({
    key: fc.constantFrom('1', '2', '3'),
    first_name: fc.constantFrom('A', 'B', 'C'),
    bulk: fc.boolean(),
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      run += 1;
      const platformName = `p${run}`;
      for (const { key, first_name, bulk } of steps) {
        const { status } = bulk
          ? await caller.post('/api/v1/customers/bulk', {
              match: `external_ids.${platformName}`,
              items: [{ external_ids: { [platformName]: key }, first_name }],
            })
          : await caller.put(`/api/v1/customers/by-external-id/${platformName}/${key}`, { first_name });
        expect([200, 201]).toContain(status);
      }
      const last = new Map(steps.map(({ key, first_name }) => [key, first_name]));
      const stored = (await all()).flatMap(({ external_ids, first_name }) => {
        const id = (external_ids as Record<string, string>)[platformName];
        return id === undefined ? [] : [[id, first_name] as const];
      });
      expect(new Map(stored)).toEqual(last);
      expect(stored).toHaveLength(last.size);
    }),
    { numRuns: 15 },
  );
});

test('a customer is created or updated with the permission for just that', async () => {
  const { tenant } = await shop();
  const creator = tenant.caller('customers.create');
  const editor = tenant.caller('customers.edit');
  const url = '/api/v1/customers/by-email/asha@example.com';
  expect(await editor.put(url, {})).toMatchObject({ status: 403, body: { code: 'auth.forbidden' } });
  expect((await creator.put(url, {})).status).toBe(201);
  expect((await creator.put(url, { first_name: 'A' })).status).toBe(403);
  expect((await editor.put(url, { first_name: 'A' })).status).toBe(200);
  expect((await tenant.caller('customers.view').put(url, {})).status).toBe(403);
  const items = [{ first_name: 'B' }];
  const refused = await editor.post('/api/v1/customers/bulk', { items });
  expect(refused).toMatchObject({
    status: 200,
    body: { succeeded: 0, failed: 1, results: [{ index: 0, status: 403, error: { code: 'auth.forbidden' } }] },
  });
  expect((await tenant.caller('customers.view').post('/api/v1/customers/bulk', { items })).status).toBe(403);
});

test('each item of a bulk request has its own result, event and audit entry', async () => {
  const { caller, all, events, audit } = await shop();
  const { body: known } = await caller.post('/api/v1/customers', { email: 'known@example.com' });
  const { status, body } = await caller.post('/api/v1/customers/bulk', {
    items: [
      { first_name: 'New', colour: 'red' },
      { id: known.customer.id, first_name: 'Known' },
      { email: 'known@example.com' },
      { tags: [1], phone: 'x' },
      { id: '0190a000-0000-7000-8000-000000000000', first_name: 'None' },
    ],
  });
  const [, created] = await all();
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      succeeded: 2,
      failed: 3,
      results: [
        { index: 0, status: 201, id: created?.id, ignored_fields: ['colour'] },
        { index: 1, status: 200, id: known.customer.id },
        {
          index: 2,
          status: 422,
          error: {
            message: 'Another customer has this email.',
            code: 'http.validation_failed',
            errors: { email: ['Another customer has this email.'] },
            error_codes: { email: ['taken'] },
          },
        },
        { index: 3, status: 422, error: expect.objectContaining({ code: 'http.validation_failed' }) },
        { index: 4, status: 404, error: expect.objectContaining({ code: 'customers.not_found' }) },
      ],
    },
  });
  expect(Object.keys(body.results[3].error.errors).sort()).toEqual(['phone', 'tags.0']);
  expect((await events()).map(({ name }) => name)).toEqual([
    'customer.created',
    'customer.created',
    'customer.updated',
  ]);
  const entries = (await audit()).map(({ action, outcome }) => `${action} ${outcome}`);
  expect(entries.filter((entry) => entry === 'customers.create ok')).toHaveLength(2);
  expect(entries).toContain('customers.update ok');
  expect(entries).toContain('customers.update failed');
  expect(entries).toContain('customers.writeMany ok');
});

test('all or nothing changes nothing if an item fails, and says which', async () => {
  const { caller, all, events, audit } = await shop();
  const items = [{ first_name: 'A' }, { tags: ['x'] }, { email: 'a@example.com' }, { email: 'a@example.com' }];
  const { status, body } = await caller.post('/api/v1/customers/bulk', { mode: 'all_or_nothing', items });
  expect({ status, body }).toMatchObject({
    status: 422,
    body: {
      code: 'http.bulk_failed',
      message: 'Nothing was changed, because 2 of 4 items failed.',
      results: [
        { index: 0, status: 424, error: { code: 'http.not_applied' } },
        { index: 1, status: 422, error: { code: 'http.validation_failed' } },
        { index: 2, status: 424 },
        { index: 3, status: 422, error: { errors: { email: ['Another customer has this email.'] } } },
      ],
    },
  });
  expect(await all()).toEqual([]);
  expect(await events()).toEqual([]);
  expect((await audit()).filter(({ action, outcome }) => action === 'customers.create' && outcome === 'ok')).toEqual(
    [],
  );
  const done = await caller.post('/api/v1/customers/bulk', { mode: 'all_or_nothing', items: [items[0], items[2]] });
  expect(done).toMatchObject({ status: 200, body: { succeeded: 2, failed: 0 } });
  expect(await all()).toHaveLength(2);
});

test('1,000 items are written at once, and repeated with the same Idempotency-Key only once', async () => {
  const { caller, all, events } = await shop();
  const items = Array.from({ length: 1_000 }, (_, index) => ({
    email: `c${index}@example.com`,
    external_ids: { erp: String(index) },
    ...(index === 500 ? { phone: 'none' } : {}),
  }));
  const send = () =>
    caller.post('/api/v1/customers/bulk', { match: 'external_ids.erp', items }, { 'idempotency-key': 'night-1' });
  const first = await send();
  expect(first).toMatchObject({ status: 200, body: { succeeded: 999, failed: 1 } });
  expect(first.body.results[500]).toMatchObject({
    index: 500,
    status: 422,
    error: { errors: { phone: [expect.any(String)] } },
  });
  expect(first.body.results[999]).toMatchObject({ index: 999, status: 201 });
  const second = await send();
  expect(second.body).toEqual(first.body);
  expect(second.headers['idempotency-replayed']).toBe('true');
  expect(await all()).toHaveLength(999);
  expect(await events()).toHaveLength(999);
  const again = await caller.post('/api/v1/customers/bulk', {
    mode: 'all_or_nothing',
    match: 'email',
    items: items.slice(0, 100),
  });
  expect(again).toMatchObject({ status: 200, body: { succeeded: 100, failed: 0 } });
  expect(await all()).toHaveLength(999);
  expect(await events()).toHaveLength(999);
}, 300_000);

test.each([
  ['too many items', { items: Array(1_001).fill({ first_name: 'A' }) }, 'items'],
  ['no items', { items: [] }, 'items'],
  ['an item that is no object', { items: ['A'] }, 'items.0'],
  ['an unknown mode', { mode: 'some', items: [{ first_name: 'A' }] }, 'mode'],
  ['an unknown match', { match: 'phone', items: [{ first_name: 'A' }] }, 'match'],
])('a request with %s is refused', async (_, body, field) => {
  const answer = await acme.caller.post('/api/v1/customers/bulk', body);
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.body.errors)).toEqual([field]);
});

test('an item without the field that identifies it fails', async () => {
  const body = {
    match: 'external_ids.erp',
    items: [{ first_name: 'A' }, { external_ids: 'x' }, { external_ids: { erp: 7 } }],
  };
  const { body: report } = await acme.caller.post('/api/v1/customers/bulk', body);
  expect(report.results.map((result: { error: { errors: object } }) => Object.keys(result.error.errors))).toEqual([
    ['external_ids.erp'],
    ['external_ids.erp'],
    ['external_ids.erp', 'external_id'],
  ]);
});

test('metadata is set, changed and removed by key', async () => {
  const { caller, events } = await shop();
  const url = '/api/v1/customers/by-external-id/erp/1';
  const { body } = await caller.put(url, { first_name: 'A', metadata: { tier: 'gold', size: 'L' } });
  const read = async () => (await caller.get(`/api/v1/customers/${body.customer.id}`)).body.customer.metadata;
  expect(await read()).toMatchObject([
    { key: 'size', value: 'L', module_source: 'api' },
    { key: 'tier', value: 'gold', module_source: 'api' },
  ]);
  await caller.put(url, { metadata: { size: null, tier: 'silver' } });
  expect(await read()).toMatchObject([{ key: 'tier', value: 'silver' }]);
  await caller.put(url, { metadata: { tier: 'silver' } });
  expect((await events()).map(({ name }) => name)).toEqual(['customer.created', 'customer.updated']);
});
