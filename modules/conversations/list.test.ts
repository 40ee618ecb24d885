import { randomUUID } from 'node:crypto';
import { type Db, sql } from '@chowk/kit';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';
import { readByCursor } from '../../server/testing/read-by-cursor.ts';
import { storeAttachment } from './attachments.ts';
import type { Conversation } from './schemas.ts';

const platform = await startPlatform();
const url = '/api/v1/conversations';

async function inbox() {
  const tenant = await platform.tenant();
  const caller = tenant.caller(
    ...['view', 'reply', 'close', 'delete', 'export'].map((verb) => `conversations.${verb}`),
  );
  const list = async (query = '') => {
    const answer = await caller.get(`${url}${query}`);
    expect(answer).toMatchObject({ status: 200 });
    return answer.body as { conversations: Conversation[]; pagination: Record<string, number> };
  };
  const create = async (fields: object = {}) => {
    const { body } = await caller.post(url, {
      customer: { email: `${randomUUID()}@example.com` },
      channel: 'email',
      ...fields,
    });
    return body.conversation as Conversation;
  };
  return { tenant, caller, list, create };
}

test('without conversations there is one empty page', async () => {
  const { list, caller } = await inbox();
  expect(await list()).toEqual({
    conversations: [],
    pagination: { current_page: 1, last_page: 1, per_page: 20, total: 0 },
  });
  expect((await caller.get(`${url}/counts`)).body).toEqual({ total: 0, counts: { open: 0, pending: 0, closed: 0 } });
});

test('listed conversations equal single ones, the latest message first', async () => {
  const { list, create, caller } = await inbox();
  const created: Conversation[] = [];
  for (const subject of ['one', 'two', 'three']) created.push(await create({ subject, message: { body: subject } }));
  await caller.post(`${url}/${created[0]?.id}/messages`, { body: 'again' });
  const read = async ({ id }: Conversation) => {
    const { messages: _, reply_delivery: __, ...conversation } = (await caller.get(`${url}/${id}`)).body.conversation;
    return conversation;
  };
  const [one, two, three] = await Promise.all(created.map(read));
  expect((await list()).conversations).toEqual([one, three, two]);
  expect((await list('?sort_by=created_at&sort_order=asc&per_page=2')).conversations).toEqual([one, two]);
  expect((await list('?per_page=2&page=2')).pagination).toEqual({
    current_page: 2,
    last_page: 2,
    per_page: 2,
    total: 3,
  });
});

test.each([
  ['status', 'status=asleep'],
  ['channel', 'channel=pigeon'],
  ['assignee_id', 'assignee_id=asha'],
  ['unassigned', 'unassigned=perhaps'],
  ['customer_id', 'customer_id=5'],
  ['snoozed', 'snoozed=perhaps'],
  ['has_attachment', 'has_attachment=2'],
  ['search', `search=${'x'.repeat(201)}`],
  ['sort_by', 'sort_by=subject'],
  ['sort_order', 'sort_order=sideways'],
  ['per_page', 'per_page=101'],
  ['page', 'page=0'],
])('an invalid %s is rejected: %s', async (field, query) => {
  const { caller } = await refusing;
  const { status, body } = await caller.get(`${url}?${query}`);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});
const refusing = inbox();

const words = ['Order', 'Größe', '100%', 'a_b', 'चाय', 'O\\K'];
const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });
const statuses = ['open', 'pending', 'closed'];
const channels = ['email', 'sms', 'whatsapp'];
const customers = Array.from({ length: 3 }, () => `${randomUUID()}@example.com`);
const arbitraryConversation = fc.record({
  subject: fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((list) => list.join(' ')),
  status: fc.constantFrom(...statuses),
  channel: fc.constantFrom(...channels),
  customer: fc.constantFrom(...customers),
  assignee: fc.constantFrom(null, 1, 2),
});
const arbitraryQuery = fc.record({
  status: optional(fc.constantFrom(...statuses)),
  channel: optional(fc.constantFrom(...channels)),
  assignee_id: optional(fc.constantFrom(1, 2)),
  unassigned: optional(fc.boolean()),
  customer: optional(fc.constantFrom(...customers)),
  search: optional(fc.constantFrom('ORDER', 'grosse', '%', '_', 'चाय', 'o\\k', 'order a_b', 'zzz', ' ')),
  sort_by: optional(fc.constantFrom('created_at', 'last_message_at')),
  sort_order: optional(fc.constantFrom('asc', 'desc')),
});
type Query = typeof arbitraryQuery extends fc.Arbitrary<infer Value> ? Value : never;
const fold = (text: string) =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ß', 'ss')
    .toLowerCase();

function matches(
  row: Conversation,
  { status, channel, assignee_id, unassigned, customer, search = ' ' }: Query,
): boolean {
  return (
    (status === undefined || row.status === status) &&
    (channel === undefined || row.channel === channel) &&
    (assignee_id === undefined || row.assignee_id === assignee_id) &&
    (unassigned === undefined || (row.assignee_id === null) === unassigned) &&
    (customer === undefined || row.customer?.email === customer) &&
    search.split(' ').every((word) => fold(row.subject).includes(fold(word)))
  );
}

test('any combination of filters and sorts lists the same conversations as a naive query', async () => {
  const { tenant, list, create } = await inbox();
  const ids = new Map<string, string>();
  for (const { subject, channel, customer, status, assignee } of fc.sample(arbitraryConversation, {
    numRuns: 30,
    seed: 5,
  })) {
    const { id, customer_id } = await create({ subject, channel, customer: { email: customer } });
    ids.set(customer, customer_id);
    // Repeated times, so that ids break ties.
    await tenant.db.run(sql`
      UPDATE conversations SET status = ${status}, assignee_id = ${assignee},
        last_message_at = date_trunc('minute', created_at) + (random() * 3)::integer * interval '1 minute' WHERE id = ${id}`);
  }
  const all = (await list('?per_page=100')).conversations;
  expect(all).toHaveLength(30);
  await fc.assert(
    fc.asyncProperty(arbitraryQuery, async (query) => {
      const { customer, ...values } = {
        ...query,
        customer_id: query.customer && (ids.get(query.customer) ?? randomUUID()),
      };
      const parameters = new URLSearchParams({ per_page: '100' });
      for (const [name, value] of Object.entries(values)) if (value !== undefined) parameters.set(name, String(value));
      const { conversations, pagination } = await list(`?${parameters}`);
      const column = query.sort_by === 'created_at' ? 'created_at' : 'last_message_at';
      const ascending = all
        .filter((row) => matches(row, query))
        .toSorted((a, b) => a[column].localeCompare(b[column]) || (a.id < b.id ? -1 : 1));
      const expected = query.sort_order === 'asc' ? ascending : ascending.reverse();
      expect(conversations.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      expect(pagination.total).toBe(expected.length);
    }),
    { numRuns: 80 },
  );
});

test('an export has the filtered rows as CSV with escaped formulas or as JSON', async () => {
  const { caller, create } = await inbox();
  const customer = { first_name: '=1+1', last_name: 'Rao', phone: '+919876512345' };
  const created = await create({ customer, subject: '@SUM(A1), "x"', message: { body: '-1\nline' } });
  await create({ channel: 'sms' });
  const { status, headers, body } = await caller.get(`${url}/export?channel=email`);
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/csv; charset=utf-8/);
  expect(headers['content-disposition']).toMatch(/^attachment; filename="conversations-\d{4}-\d\d-\d\d\.csv"$/);
  expect(parse(body, { bom: true, toLine: 1 })).toEqual([
    [
      'id',
      'channel',
      'subject',
      'status',
      'customer_id',
      'customer_name',
      'customer_email',
      'customer_phone',
      'assignee_id',
      'assignee_name',
      'message_count',
      'last_message',
      'last_message_at',
      'created_at',
      'updated_at',
    ],
  ]);
  expect(parse(body, { bom: true, columns: true })).toEqual([
    expect.objectContaining({
      id: created.id,
      subject: `'@SUM(A1), "x"`,
      customer_name: "'=1+1 Rao",
      customer_phone: '+**********45',
      message_count: '1',
      last_message: "'-1\nline",
      assignee_id: '',
    }),
  ]);
  const { conversations } = (await caller.get(`${url}/export?format=json`)).body;
  expect(conversations).toMatchObject([{ channel: 'sms' }, { id: created.id, customer: { phone: '+**********45' } }]);
  expect((await caller.get(`${url}/export?format=xml`)).status).toBe(422);
});

test('a large export has every conversation once, also over a single connection', async () => {
  const narrow = await startPlatform({ environment: { DATABASE_CONNECTIONS_PER_TENANT: '1' } });
  const tenant = await narrow.tenant();
  await tenant.db.run(sql`
    INSERT INTO conversations (id, customer_id, channel, status, last_message_at, created_at, updated_at)
    SELECT gen_random_uuid(), gen_random_uuid(), 'sms', 'open', now(), now(), now() FROM generate_series(1, 1200)`);
  const { body } = await tenant.caller('conversations.export').get(`${url}/export?format=json`);
  expect(new Set(body.conversations.map(({ id }: Conversation) => id)).size).toBe(1_200);
  expect(body.conversations).toHaveLength(1_200);
});

async function expectTrueCounts({ db }: { db: Db }): Promise<void> {
  const kept = await db.row(sql`
    SELECT coalesce(sum(value) FILTER (WHERE name = 'conversations.open'), 0)::bigint AS open,
      coalesce(sum(value) FILTER (WHERE name = 'conversations.pending'), 0)::bigint AS pending,
      coalesce(sum(value) FILTER (WHERE name = 'conversations.closed'), 0)::bigint AS closed FROM counters`);
  const counted = await db.row(sql`
    SELECT count(*) FILTER (WHERE status = 'open') AS open, count(*) FILTER (WHERE status = 'pending') AS pending,
      count(*) FILTER (WHERE status = 'closed') AS closed FROM conversations`);
  expect(kept).toEqual(counted);
}

test('counters are correct under concurrent writes', async () => {
  const { tenant, create, caller, list } = await inbox();
  await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const { id } = await create();
      if (index % 3 === 0) await caller.post(`${url}/${id}/close`);
      if (index % 5 === 0) await caller.post(`${url}/${id}/messages`, { body: 'x', direction: 'inbound' });
      if (index % 7 === 0) await caller.delete(`${url}/${id}`);
    }),
  );
  await expectTrueCounts(tenant);
  // Closed: multiples of three that are not multiples of five or seven: 3, 6, 9, 12, 18, 24, 27.
  expect((await caller.get(`${url}/counts`)).body).toEqual({ total: 25, counts: { open: 18, pending: 0, closed: 7 } });
  expect((await list('?status=closed')).pagination.total).toBe(7);
});

test('counters are correct after any history, including rollbacks and compaction', async () => {
  const { tenant } = await inbox();
  const step = fc.record({
    kind: fc.constantFrom('insert', 'open', 'pending', 'closed', 'remove', 'edit', 'compact'),
    count: fc.integer({ min: 1, max: 4 }),
    undone: fc.boolean(),
  });
  const first = (count: number) => sql`(SELECT id FROM conversations ORDER BY id LIMIT ${count})`;
  const change = (status: string) => (count: number) =>
    sql`
    UPDATE conversations SET status = ${status} WHERE id IN ${first(count)}`;
  const statements = {
    insert: (count: number) => sql`
      INSERT INTO conversations (id, customer_id, channel, status, last_message_at, created_at, updated_at)
      SELECT gen_random_uuid(), gen_random_uuid(), 'sms', (ARRAY['open', 'pending', 'closed'])[1 + n % 3], now(), now(), now()
      FROM generate_series(1, ${count}::integer) n`,
    open: change('open'),
    pending: change('pending'),
    closed: change('closed'),
    remove: (count: number) => sql`DELETE FROM conversations WHERE id IN ${first(count)}`,
    edit: (count: number) => sql`UPDATE conversations SET subject = ${String(count)}`,
    compact: () => sql`SELECT compact_counters()`,
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const { kind, count, undone } of steps) {
        const work = tenant.db.tx(async (tx) => {
          await tx.run(statements[kind](count));
          if (undone) throw new Error('undone');
        });
        await work.catch((error: Error) => expect(error.message).toBe('undone'));
      }
      await expectTrueCounts(tenant);
    }),
    { numRuns: 30 },
  );
});

test('a cursor visits every conversation once while conversations are created', async () => {
  const { create, caller } = await inbox();
  const created = new Set<string>();
  for (let n = 0; n < 11; n += 1) created.add((await create({ subject: `Tea ${n}`, message: { body: 'x' } })).id);
  for (const order of ['', '&sort_by=created_at&sort_order=asc', '&sort_by=updated_at']) {
    const seen = await readByCursor<Conversation>(caller, `${url}?search=tea${order}`, () =>
      create({ subject: 'Coffee' }),
    );
    expect(seen.map(({ id }) => id).toSorted()).toEqual([...created].toSorted());
  }
});

test('updated_from lists changed records, the latest change last', async () => {
  const { create, caller, list } = await inbox();
  const [one, two, three] = [await create(), await create(), await create()];
  const since = (await caller.post(`${url}/${two.id}/close`)).body.conversation.updated_at;
  await caller.post(`${url}/${one.id}/messages`, { body: 'Hello' });
  const { conversations, pagination } = await list(`?updated_from=${since}&sort_by=updated_at&sort_order=asc`);
  const changed = conversations.map(({ id }) => id).filter((id) => id !== three.id);
  expect({ changed, total: pagination.total }).toEqual({ changed: [two.id, one.id], total: conversations.length });
  expect((await list('?updated_from=2999-01-01')).pagination.total).toBe(0);
});

test('unknown and invalid parameters are reported together', async () => {
  const { caller } = await inbox();
  const { status, body } = await caller.get(`${url}?colour=red&page=0&unassigned=maybe&_trace=1`);
  expect({ status, codes: body.error_codes }).toEqual({
    status: 422,
    codes: { colour: ['unknown'], page: ['too_small'], unassigned: ['wrong_type'] },
  });
  expect((await caller.get(`${url}?unassigned=1&_trace=1`)).status).toBe(200);
});

test('a search finds conversations by name and email of the customer', async () => {
  const { create, list } = await inbox();
  const asha = await create({ customer: { first_name: 'Asha', email: 'asha.rao@example.com' }, subject: 'Tea' });
  await create({ customer: { first_name: 'Ravi' }, subject: 'Coffee' });
  for (const text of ['asha', 'asha.rao@example.com', 'TEA']) {
    const { conversations, pagination } = await list(`?search=${text}`);
    expect({ ids: conversations.map(({ id }) => id), total: pagination.total }).toEqual({ ids: [asha.id], total: 1 });
  }
});

test('a search finds the conversations of all matching customers, however many', async () => {
  const { tenant, list } = await inbox();
  await tenant.db.run(sql`
    INSERT INTO customers (id, first_name, created_at, updated_at)
    SELECT gen_random_uuid(), 'Asha', now(), now() FROM generate_series(1, 300)`);
  await tenant.db.run(sql`
    INSERT INTO conversations (id, customer_id, channel, status, last_message_at, created_at, updated_at)
    SELECT gen_random_uuid(), id, 'email', 'open', now(), now(), now() FROM customers`);
  expect((await list('?search=asha')).pagination.total).toBe(300);
});

test('a search finds words in messages and notes, in one of them', async () => {
  const { list, create, caller } = await inbox();
  const tea = await create({ message: { body: 'Der Grünkohl-Tee ist kalt', direction: 'inbound' } });
  const note = await create({ subject: 'Other', message: { body: 'A friend of Ravi', direction: 'note' } });
  await caller.post(`${url}/${note.id}/messages`, { body: '100%_sure' });
  const found = async (text: string) => {
    const { conversations, pagination } = await list(`?search=${encodeURIComponent(text)}`);
    expect(pagination.total).toBe(conversations.length);
    return conversations.map(({ id }) => id);
  };
  expect(await found('grunkohl')).toEqual([tea.id]);
  expect(await found('KALT tee')).toEqual([tea.id]);
  expect(await found('tee is')).toEqual([tea.id]);
  expect(await found('friend ravi')).toEqual([note.id]);
  expect(await found('friend sure')).toEqual([]);
  expect(await found('%_sure')).toEqual([note.id]);
  expect(await found("fri'; DROP")).toEqual([]);
  expect(await found('kohl')).toEqual([]);
  expect(await found('\\ & | ! friend')).toEqual([note.id]);
  await caller.delete(`${url}/${note.id}`);
  expect(await found('friend')).toEqual([]);
});

test('conversations with attachments can be listed', async () => {
  const { tenant, list, create, caller } = await inbox();
  const [plain, withFile] = [await create(), await create()];
  const ctx = tenant.context('conversations');
  const attachment = await storeAttachment(ctx, { file_name: 'leaf.txt', content: Buffer.from('x') });
  await ctx.db.run(sql`UPDATE conversation_attachments SET user_id = ${caller.user.id} WHERE id = ${attachment}`);
  await caller.post(`${url}/${withFile.id}/messages`, { body: 'See this', attachment_ids: [attachment] });
  await caller.post(`${url}/${withFile.id}/messages`, { body: 'And this' });
  expect((await list('?has_attachment=true')).conversations).toMatchObject([{ id: withFile.id, has_attachment: true }]);
  expect((await list('?has_attachment=false')).conversations).toMatchObject([{ id: plain.id, has_attachment: false }]);
});
