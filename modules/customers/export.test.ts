import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { auditEntries } from '../../server/testing/audit-entries.ts';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const caller = acme.caller('customers.export', 'customers.view', 'customers.view_sensitive');
await acme.db.run(sql`
  INSERT INTO customers (id, external_ids, email, phone, first_name, last_name, accepts_marketing, total_orders,
    total_spent, avg_order_value, first_order_at, last_order_at, tags, notes, created_at, updated_at, deleted_at)
  VALUES ('01890000-0000-7000-8000-000000000001', '{"shop": "=7"}', '=asha@example.com', '+919876543210',
      '=HYPERLINK("http://x")', '李, "Rao"', true, 2, 10.5, 5.25, '2026-01-02T03:04:05.678Z', '2026-01-03T00:00:00Z',
      '{-a,b}', E'@note\nsecond line', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z', NULL),
    ('01890000-0000-7000-8000-000000000002', '{}', NULL, '0123456789', NULL, NULL, false, 0, 0, 0, NULL, NULL, '{}',
      NULL, '2026-02-01T00:00:00Z', '2026-02-01T00:00:00Z', NULL),
    ('01890000-0000-7000-8000-000000000003', '{}', 'gone@example.com', NULL, 'Gone', NULL, false, 0, 0, 0, NULL, NULL,
      '{}', NULL, '2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z')`);

/** Splits at the ids that begin the rows, because cells may contain line breaks. */
const findIds = (text: string) => [...text.matchAll(/^([0-9a-f-]{36}),/gm)].map(([, id]) => id);
const exported = async (query = '') => (await caller.get(`/api/v1/customers/export${query}`)).body;

test('a CSV file has all fields, with formulas escaped and phones as they are', async () => {
  const { status, headers, body } = await caller.get('/api/v1/customers/export?sort_order=asc');
  expect({ status, type: headers['content-type'], disposition: headers['content-disposition'] }).toEqual({
    status: 200,
    type: 'text/csv; charset=utf-8; header=present',
    disposition: expect.stringMatching(/^attachment; filename="customers-\d{4}-\d\d-\d\d\.csv"$/),
  });
  expect(body.split('\r\n')).toEqual([
    '\ufeffid,external_ids,email,phone,first_name,last_name,accepts_marketing,total_orders,total_spent,' +
      'avg_order_value,first_order_at,last_order_at,currency,other_currencies,tags,created_at,updated_at,notes',
    '01890000-0000-7000-8000-000000000001,"{""shop"":""=7""}","\'=asha@example.com",+919876543210,' +
      '"\'=HYPERLINK(""http://x"")","李, ""Rao""",true,2,10.50,5.25,2026-01-02T03:04:05.678Z,2026-01-03T00:00:00.000Z,,,' +
      '"\'-a,b",2026-01-01T00:00:00.000Z,2026-01-04T00:00:00.000Z,"\'@note\nsecond line"',
    '01890000-0000-7000-8000-000000000002,{},,0123456789,,,false,0,0.00,0.00,,,,,,2026-02-01T00:00:00.000Z,' +
      '2026-02-01T00:00:00.000Z,',
    '',
  ]);
});

test('a JSON file has the fields of the list and the notes', async () => {
  const { body } = await caller.get('/api/v1/customers');
  const [young, old] = body.customers;
  expect(await exported('?format=json')).toEqual({
    customers: [
      { ...young, notes: null },
      { ...old, notes: '@note\nsecond line' },
    ],
  });
});

test.each([
  ['search=zoe', 0],
  ['search=rao', 1],
  ['tags=b', 1],
  ['min_spent=10.50', 1],
  ['vip=true', 0],
  ['created_to=2026-01-31', 1],
  ['accepts_marketing=false', 1],
])('the filters of the list apply: %s', async (query, count) => {
  expect((await exported(`?format=json&${query}`)).customers).toHaveLength(count);
  expect(findIds(await exported(`?${query}`))).toHaveLength(count);
});

test.each([
  ['format', 'format=xls'],
  ['min_spent', 'min_spent=much'],
  ['sort_by', 'sort_by=notes'],
])('an invalid %s is rejected before anything is sent: %s', async (field, query) => {
  const { status, body } = await caller.get(`/api/v1/customers/export?${query}`);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});

test('an export is in the audit log, with its filters', async () => {
  await exported('?format=json&min_spent=10.50');
  const [line] = await auditEntries(platform, acme.caller('audit.view'), 'customers.export');
  expect(line).toMatchObject({ input: { format: 'json', min_spent: '10.50' }, user_id: caller.user.id });
});

test('a large export has every customer once and in order', async () => {
  const globex = await platform.tenant();
  await globex.db.run(sql`
    INSERT INTO customers (id, first_name, total_spent, created_at, updated_at)
    SELECT gen_random_uuid(), n, n % 7, now(), now() FROM generate_series(1, 2500) n`);
  const by = globex.caller('customers.export', 'customers.view');
  const ids = findIds((await by.get('/api/v1/customers/export?sort_by=total_spent')).body);
  const inOrder = sql`SELECT id FROM customers ORDER BY total_spent DESC, id DESC`;
  expect(ids).toEqual((await globex.db.rows<{ id: string }>(inOrder)).map(({ id }) => id));
});
