import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '@chowk/kit';
import { describe, expect, test } from 'vitest';
import { type Person, startAccounts } from '../../server/testing/accounts.ts';

const platform = await startAccounts({ environment: { RATE_LIMIT_PER_MINUTE: '1000000' } });
const path = '/api/v1/events';

interface Event {
  readonly sequence: number;
  readonly type: string;
  readonly resource_id: string | null;
  readonly data: Record<string, never>;
}

async function open(role?: string) {
  const tenant = await platform.tenant();
  const owner = await platform.person({ tenant });
  const reader = role === undefined ? owner : await platform.person({ tenant, role });
  return { tenant, owner, reader };
}

async function read(person: Person, query = ''): Promise<Event[]> {
  const { status, body } = await person.get(`${path}?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.events;
}

async function createCustomer(person: Person, fields: object = {}): Promise<string> {
  const { status, body } = await person.post('/api/v1/customers', { first_name: 'Priya', ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.customer.id;
}

const types = (events: readonly Event[]) => events.map(({ type }) => type);

test('lists what happened, with deletions and merges, and nothing that only modules may know', async () => {
  const { tenant, owner } = await open();
  const [one, two] = [await createCustomer(owner), await createCustomer(owner, { first_name: 'Ravi' })];
  await owner.post('/api/v1/customers/merge', { primary_id: one, secondary_id: two });
  await owner.delete(`/api/v1/customers/${one}?mode=anonymize`);
  const events = await read(owner, 'type=customer.*');
  expect(types(events)).toEqual(['customer.created', 'customer.created', 'customer.merged', 'customer.deleted']);
  expect(events[2]?.data).toMatchObject({ customer: { id: one }, removed_id: two });
  expect(events.at(-1)).toMatchObject({
    resource_id: one,
    tenant_id: tenant.id,
    data: { id: one, mode: 'anonymize' },
  });
  const webhook = await owner.post('/api/v1/webhooks', { url: 'https://example.com', events: ['customer.merging'] });
  expect(webhook.body.errors).toHaveProperty('events');
  const offered = await owner.get('/api/v1/webhooks/events');
  const names = offered.body.events.map(({ name }: { name: string }) => name);
  expect(names).toContain('customer.merged');
  expect(names).not.toContain('tenant.database_migrated');
});

describe('a page', () => {
  test('continues after its cursor, also at the end', async () => {
    const { owner } = await open();
    for (const name of ['A', 'B', 'C']) await createCustomer(owner, { first_name: name });
    const first = await owner.get(`${path}?type=customer.*&limit=2`);
    expect(first.body.pagination.has_more).toBe(true);
    const second = await owner.get(`${path}?type=customer.*&cursor=${first.body.pagination.next_cursor}`);
    expect(types(second.body.events)).toEqual(['customer.created']);
    expect(second.body.pagination.has_more).toBe(false);
    const cursor = second.body.pagination.next_cursor;
    expect(await read(owner, `cursor=${cursor}`)).toEqual([]);
    await createCustomer(owner, { first_name: 'D' });
    expect(await read(owner, `type=customer.created&cursor=${cursor}`)).toMatchObject([
      { data: { customer: { first_name: 'D' } } },
    ]);
  });

  test('is a connection in GraphQL, whose edges have the cursors of the events', async () => {
    const { owner } = await open();
    for (const name of ['A', 'B', 'C']) await createCustomer(owner, { first_name: name });
    const query = `query ($after: String) {
      events(first: 2, after: $after, filter: { type: ["customer.*"] }) {
        nodes { sequence } edges { cursor node { sequence } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }`;
    const select = async (after?: string) => {
      const { body } = await owner.post('/api/v1/graphql', { query, variables: { after } });
      expect(body.errors).toBeUndefined();
      return body.data.events;
    };
    const first = await select();
    const cursors = first.nodes.map(({ sequence }: Event) => String(sequence));
    expect(first.edges.map(({ cursor }: { cursor: string }) => cursor)).toEqual(cursors);
    expect(first.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: cursors[0],
      endCursor: cursors[1],
    });
    const second = await select(first.edges[0].cursor);
    expect(second.nodes).toEqual([first.nodes[1], { sequence: expect.any(Number) }]);
    const unknown = await owner.post('/api/v1/graphql', { query: '{ events { totalCount } }' });
    expect(JSON.stringify(unknown.body.errors)).toContain('Cannot query field');
  });

  test('skips events that the query leaves out', async () => {
    const { owner } = await open();
    await createCustomer(owner);
    const { body } = await owner.get(`${path}?type=order.*`);
    expect(body.events).toEqual([]);
    expect(await read(owner, `cursor=${body.pagination.next_cursor}`)).toEqual([]);
  });

  test('has the events about one record, or from a time on', async () => {
    const { owner } = await open();
    const [one] = [await createCustomer(owner), await createCustomer(owner)];
    await owner.patch(`/api/v1/customers/${one}`, { first_name: 'Priya Sharma' });
    expect(types(await read(owner, `resource_id=${one}`))).toEqual(['customer.created', 'customer.updated']);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect(await read(owner, `from=${later}`)).toEqual([]);
    expect(await read(owner, 'from=2020-01-01T00:00:00Z&type=customer.*')).toHaveLength(3);
  });

  test.each([
    ['cursor=abc', 'cursor'],
    ['cursor=999999', 'cursor'],
    ['limit=1001', 'limit'],
    ['wait=31', 'wait'],
    ['type=No Such', 'type.0'],
    ['from=yesterday', 'from'],
    ['type=order.*&type=order.createt', 'type.1'],
  ])('422 for %s', async (query, field) => {
    const { owner } = await open();
    const { status, body } = await owner.get(`${path}?${query}`);
    expect(status).toBe(422);
    expect(body.errors, JSON.stringify(body)).toHaveProperty([field]);
  });

  test('410 if events after the cursor have been deleted', async () => {
    const { tenant, owner } = await open();
    await createCustomer(owner);
    const { next_cursor } = (await owner.get(`${path}?limit=1`)).body.pagination;
    await createCustomer(owner);
    await createCustomer(owner);
    const total = (await read(owner)).length;
    await tenant.db.run(sql`DELETE FROM event_log WHERE sequence <= ${total - 1}`);
    const { status, body } = await owner.get(`${path}?cursor=${next_cursor}`);
    expect([status, body.code]).toEqual([410, 'events.cursor_expired']);
    expect(await read(owner, `cursor=${total - 1}`)).toHaveLength(1);
    await tenant.db.run(sql`DELETE FROM event_log`);
    expect((await owner.get(`${path}?cursor=${total - 1}`)).status).toBe(410);
    expect(await read(owner, `cursor=${total}`)).toEqual([]);
  });
});

describe('a reader gets', () => {
  const phone = '+919876543210';

  test('what the role may see, masked', async () => {
    const { owner, reader } = await open('Viewer');
    await createCustomer(owner, { phone });
    const items = [{ name: 'Tea', quantity: 1, price: '5' }];
    const address = { name: 'Priya', phone, line1: '12 MG Road', city: 'Pune', country: 'IN' };
    const order = await owner.post('/api/v1/orders', { customer: { phone }, items, shipping_address: address });
    expect(order.status, JSON.stringify(order.body)).toBe(201);
    const seen = await read(reader);
    expect(types(seen)).toEqual(expect.arrayContaining(['customer.created', 'order.created']));
    expect(JSON.stringify(seen)).not.toContain(phone);
    expect(JSON.stringify(seen)).not.toContain('12 MG Road');
    expect(JSON.stringify(await read(owner))).toContain(phone);
  });

  test('nothing without the permission', async () => {
    const { reader } = await open('Agent');
    expect((await reader.get(path)).status).toBe(403);
  });
});

test('personal data of an erased customer is removed', async () => {
  const { tenant, owner } = await open();
  const id = await createCustomer(owner, { first_name: 'Zebedee', email: 'zebedee@example.com' });
  const items = [{ name: 'Tea', quantity: 1, price: '5' }];
  await owner.post('/api/v1/orders', { customer: { id }, items });
  expect(JSON.stringify(await read(owner))).toContain('Zebedee');
  await owner.delete(`/api/v1/customers/${id}?mode=anonymize`);
  expect(types(await read(owner))).toContain('order.created');
  const stored = await tenant.db.rows<{ payload: unknown }>(sql`SELECT payload FROM event_log`);
  expect(JSON.stringify(stored)).not.toMatch(/zebedee/i);
});

describe('a request that waits', () => {
  test('is answered when something happens, here or in another process', async () => {
    const { tenant, owner } = await open();
    const { next_cursor } = (await owner.get(path)).body.pagination;
    const waiting = read(owner, `cursor=${next_cursor}&wait=30`);
    await delay(200);
    await createCustomer(owner);
    expect(types(await waiting)).toContain('customer.created');
    const { pagination } = (await owner.get(`${path}?limit=1000`)).body;
    const other = read(owner, `cursor=${pagination.next_cursor}&wait=30`);
    await delay(200);
    await tenant.db.run(sql`
      INSERT INTO event_log (id, type, payload, emitted_at, version)
      VALUES (gen_random_uuid(), 'product.created', '{}', now(), '1.0.0')`);
    expect(types(await other)).toEqual(['product.created']);
  });

  test('is refused beside ten others of the same user, which are answered; others may still wait', async () => {
    const { tenant, owner } = await open();
    const other = await platform.person({ tenant, role: 'Viewer' });
    const { next_cursor } = (await owner.get(path)).body.pagination;
    const wait = (person: Person) => person.get(`${path}?cursor=${next_cursor}&wait=30&type=customer.created`);
    const waiting = Array.from({ length: 12 }, () => wait(owner));
    const refused = await Promise.race(waiting);
    expect([refused.status, refused.body.code]).toEqual([429, 'events.too_many_waiting']);
    expect(refused.headers['retry-after']).toBe('5');
    const beside = wait(other);
    await createCustomer(owner);
    const statuses = (await Promise.all([...waiting, beside])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array(11).fill(200), 429, 429]);
    expect((await wait(owner)).status).toBe(200);
  });

  test('is answered without events after its time', async () => {
    const { owner } = await open();
    const { next_cursor } = (await owner.get(path)).body.pagination;
    const startedAt = Date.now();
    expect(await read(owner, `cursor=${next_cursor}&wait=1`)).toEqual([]);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_000);
  });
});

test('eight writers: two followers miss nothing and see the changes of each record in order', async () => {
  const { tenant, owner } = await open();
  await tenant.db.run(sql`CREATE TABLE test_records AS SELECT id, 0 AS changes FROM generate_series(0, 2) id`);
  const { next_cursor } = (await owner.get(path)).body.pagination;
  let isWriting = true;
  const write = async (writer: number) => {
    for (let turn = 0; turn < 12; turn += 1) {
      await tenant.context('administration').tx(async (ctx) => {
        // Takes its place among the transactions before it waits for the record.
        await ctx.db.run(sql`SELECT pg_current_xact_id()`);
        const record = (await ctx.db.row<{ id: number; changes: number }>(sql`
          UPDATE test_records SET changes = changes + 1 WHERE id = ${(writer + turn) % 3} RETURNING id, changes`)) as {
          id: number;
          changes: number;
        };
        await ctx.emit('settings.changed', { keys: [`record ${record.id}`, String(record.changes)] });
        await delay(Math.random() * 20);
      });
    }
  };
  const follow = async () => {
    const seen: Event[] = [];
    let cursor = next_cursor;
    for (let isLast = false; ; ) {
      const { body } = await owner.get(`${path}?cursor=${cursor}&limit=7`);
      seen.push(...body.events);
      cursor = body.pagination.next_cursor;
      if (isLast && !body.pagination.has_more) return seen;
      isLast = !isWriting;
    }
  };
  const followers = [follow(), follow()];
  await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
  isWriting = false;
  const [one = [], two = []] = await Promise.all(followers);
  const sequences = one.map(({ sequence }) => sequence);
  expect(one).toHaveLength(8 * 12);
  expect(two.map(({ sequence }) => sequence)).toEqual(sequences);
  expect(sequences).toEqual(sequences.map((_, index) => (sequences[0] ?? 0) + index));
  for (const record of ['record 0', 'record 1', 'record 2']) {
    const keys = one.map(({ data }) => (data as unknown as { keys: string[] }).keys);
    const changes = keys.filter(([id]) => id === record).map(([, change]) => Number(change));
    expect(changes).toEqual(changes.map((_, index) => index + 1));
  }
});
