import { sql } from '@chowk/kit';
import { expect, test } from 'vitest';
import { startPlatform } from '../../server/testing/platform.ts';

const platform = await startPlatform();
const acme = await platform.tenant();
const caller = acme.caller('customers.view', 'customers.view_sensitive');
const people = [
  { first_name: 'Asha', last_name: 'Rao', email: 'asha@example.com', phone: '+919876543210' },
  { first_name: 'Natasha', last_name: 'Iyer', email: 'natasha@example.com', phone: '+919876500000' },
  { first_name: 'Bimal', last_name: 'Das', email: 'asha.fan@example.org', phone: '4420' },
  { first_name: 'Rao', last_name: 'Bahadur', email: 'rb@example.org', phone: null },
  { first_name: 'José', last_name: 'Núñez', email: null, phone: '+442079460958' },
  { first_name: 'Алёна', last_name: null, email: 'al@example.ru', phone: null },
  { first_name: 'प्रिया', last_name: 'शर्मा', email: null, phone: null },
  { first_name: '李', last_name: '明', email: null, phone: null },
  { first_name: '小明', last_name: '王', email: null, phone: null },
  { first_name: '민수', last_name: '김', email: null, phone: null },
  { first_name: '100%', last_name: "O'Brien_", email: null, phone: null },
  { first_name: 'Vishwanathan', last_name: 'Anand', email: null, phone: null },
];
for (const { first_name, last_name, email, phone } of people) {
  await acme.db.run(sql`
    INSERT INTO customers (id, first_name, last_name, email, phone, created_at, updated_at)
    VALUES (gen_random_uuid(), ${first_name}, ${last_name}, ${email}, ${phone}, now(), now())`);
}

const search = async (q: string, more = '', by = caller): Promise<string[]> => {
  const { status, body } = await by.get(`/api/v1/customers/search?q=${encodeURIComponent(q)}${more}`);
  expect(status).toBe(200);
  return body.customers.map(({ first_name }: { first_name: string }) => first_name);
};

test('equal emails come first, then prefixes, then other matches', async () => {
  expect(await search('asha@example.com')).toEqual(['Asha', 'Natasha']);
  const found = await search(' ASHA ');
  expect([found.slice(0, 2).toSorted(), found.slice(2)]).toEqual([['Asha', 'Bimal'], ['Natasha']]);
  expect(await search('asha', '&limit=1')).toHaveLength(1);
  expect(await search('rao')).toEqual(['Rao', 'Asha']);
  expect(await search('asha rao')).toEqual(['Asha']);
  expect(await search('rao asha')).toEqual(['Asha']);
});

test.each([
  ['jose NUNEZ', 'José'],
  ['NÚÑEZ', 'José'],
  ['алена', 'Алёна'],
  ['प्रिया', 'प्रिया'],
  ['शर्मा', 'प्रिया'],
  ['李 明', '李'],
  ['李明', '李'],
  ['王小明', '小明'],
  ['小明王', '小明'],
  ['小明 王', '小明'],
  ['王小', '小明'],
  ['김민수', '민수'],
  ['as ra', 'Asha'],
  ['wa', 'Vishwanathan'],
  ['100%', '100%'],
  ["o'brien_", '100%'],
  ['vishwanatan', 'Vishwanathan'],
  ['bahadurr', 'Rao'],
])('%s finds %s', async (q, name) => {
  expect(await search(q)).toEqual([name]);
});

test.each([
  ['98765 43210', ['Asha']],
  ['098765-43210', ['Asha']],
  ['+91 (98765) 43210', ['Asha']],
  ['0091 98765 43210', ['Asha']],
  ['43210', ['Asha']],
  ['020 7946 0958', ['José']],
])('the phone %s finds its customer', async (q, names) => {
  expect(await search(q)).toEqual(names);
});

test('an equal phone comes before partial matches', async () => {
  expect(await search('4420')).toEqual(['Bimal', 'José']);
});

test('wildcards have no meaning, and nonsense finds nothing', async () => {
  for (const q of ['__', '%%', 'x%', '\\\\', "' OR 1=1", 'qqqqq', '12345678']) expect(await search(q)).toEqual([]);
});

test('deleted customers are not found', async () => {
  await acme.db.run(sql`
    INSERT INTO customers (id, first_name, email, phone, created_at, updated_at, deleted_at)
    VALUES (gen_random_uuid(), 'Vanished', 'vanished@example.com', '+919999999999', now(), now(), now())`);
  for (const q of ['vanished', 'vanished@example.com', '+919999999999', 'vanishd', 'va']) {
    expect(await search(q)).toEqual([]);
  }
});

test('prefixes are found among very many matches', async () => {
  const globex = await platform.tenant();
  await globex.db.run(sql`
    INSERT INTO customers (id, first_name, last_name, email, created_at, updated_at)
    SELECT gen_random_uuid(), CASE n WHEN 3000 THEN 'Exampleton' ELSE 'Person' END, n,
      CASE WHEN n < 3000 THEN 'p' || n || '@example.com' END, now(), now()
    FROM generate_series(1, 3000) n`);
  const names = await search('example', '&limit=50', globex.caller('customers.view'));
  expect([names[0], names.length]).toEqual(['Exampleton', 50]);
});

test.each([
  ['q', ''],
  ['q', 'q=x'],
  ['q', 'q=%20x%20'],
  ['limit', 'q=asha&limit=51'],
  ['limit', 'q=asha&limit=0'],
])('an invalid %s is rejected: %s', async (field, query) => {
  const { status, body } = await caller.get(`/api/v1/customers/search?${query}`);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});
