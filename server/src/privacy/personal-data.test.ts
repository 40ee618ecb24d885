import { type Db, sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform } from '../../testing/platform.ts';
import { testConfig } from '../../testing/test-config.ts';
import { type TestModule, testModule } from '../../testing/test-module.ts';
import { type LoadedModule, loadModules } from '../loader/load-modules.ts';
import type { Manifest, TableData } from '../loader/manifest.ts';
import { createPersonalData, isPersonal } from './personal-data.ts';

const noFile = async () => false;
type Data = NonNullable<Manifest['data']>;

/** Tables of the kernel, and why they are not declared. */
const kernelTables: Readonly<Record<string, string>> = {
  chowk_installation: 'identifies the tenant',
  schema_migrations: 'applied migrations',
  idempotency_keys: 'encrypted responses, kept for a day',
  module_bus_audit_log: 'inputs without personal values, kept as long as a setting says',
  event_deliveries: 'events until they are delivered; personal fields are erased with the customer',
  event_log: 'events for a number of days; personal fields are erased with the customer',
  event_log_state: 'a number',
  tenant_identity: 'the id of the tenant',
  added_jobs: 'jobs until they are queued, a moment after the commit',
  counters: 'numbers only',
  persisted_queries: 'operations of programs, without the values of their variables',
  request_log: 'requests of programs: the pattern of the path, without values, kept for 30 days',
  saved_views: 'filters that members have saved for a list',
  stored_files: 'the type and the size of files; those that a `file` column names are removed with the customer',
  unregistered_operations: 'operations without the values of their variables, deleted 30 days after their last use',
};

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** Whether it is nullable or has a default. */
  readonly emptiable: boolean;
  readonly generated: boolean;
}

const textTypes = new Set(['text', 'varchar', 'bpchar', 'citext', 'name', 'json', 'jsonb', 'xml', 'bytea', 'inet']);
const numberTypes = new Set(['int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'money', 'interval']);
const holdsText = ({ type }: Column) => textTypes.has(type.replace(/^_/, ''));

/** What the manifests fail to declare about the tables of a database. */
async function gaps(db: Db, modules: readonly LoadedModule[]): Promise<string[]> {
  const columns = Map.groupBy(await listColumns(db), ({ table }) => table);
  const references = await listReferences(db);
  const declared = modules.flatMap(({ alias, manifest }) =>
    Object.entries(manifest.data ?? {}).map(([table, data]) => ({ alias, table, data })),
  );
  const byTable = Map.groupBy(declared, ({ table }) => table);
  const tied = new Set(declared.filter(({ data }) => isTied(data)).map(({ table }) => table));
  const owners = (table: string) => [
    ...(byTable.get(table) ?? []).map(({ alias }) => alias),
    ...(table in kernelTables ? ['the kernel'] : []),
  ];
  const undeclared = [...columns.keys()].filter((table) => owners(table).length === 0);
  const disputed = [...columns.keys()].filter((table) => owners(table).length > 1);
  const untied = [...columns].filter(
    ([table, own]) =>
      !tied.has(table) &&
      (own.some(({ column }) => column === 'customer_id') ||
        references.some(({ from, to }) => from === table && tied.has(to))),
  );
  // Child rows are deleted first, so a table that refers to another must be declared as its child.
  const crossed = references.filter(
    ({ from, to }) =>
      from !== to && tied.has(from) && tied.has(to) && !(tableDepth(declared, from) > tableDepth(declared, to)),
  );
  return [
    ...undeclared.map((table) => `${table} is not declared`),
    ...disputed.map((table) => `${table} is declared by ${owners(table).join(' and ')}`),
    ...untied.map(([table]) => `${table} belongs to customers and is not tied to them`),
    ...crossed.map(({ from, to }) => `${from} refers to ${to} and is not declared to belong to it`),
    ...declared.flatMap(({ table, data }) => gapsOfTable(table, data, columns.get(table) ?? [])),
    ...(await listUniqueIndexes(db)).flatMap(({ table, by }) => gapsOfUnique(table, by, declared)),
  ].toSorted();
}

function gapsOfTable(table: string, data: TableData, columns: readonly Column[]): string[] {
  if (columns.length === 0) return [`${table} is declared but does not exist`];
  const { customer, parent, columns: kinds = {}, users = {} } = data;
  const named = [customer, parent?.column, ...Object.keys(kinds), ...Object.keys(users)].filter(
    (name) => name !== undefined,
  );
  const found = (name: string) => columns.find(({ column }) => column === name);
  const gone = named.filter((name) => !found(name)).map((name) => `${table}.${name} is declared but does not exist`);
  const anonymous = columns.filter(({ column }) => column === 'user_id' && !(column in users));
  const unnamed = anonymous.map(({ column }) => `${table}.${column} is not declared among the users`);
  if (!isTied(data)) return [...gone, ...unnamed];
  const unkind = columns.filter((one) => holdsText(one) && !(one.column in kinds));
  const stuck = columns.filter(({ column, emptiable }) => {
    const kind = kinds[column];
    return data.anonymize !== 'delete' && kind !== undefined && isPersonal(kind) && !emptiable;
  });
  const notGenerated = columns.filter(({ column, generated }) => kinds[column] === 'internal' && !generated);
  const keys = ['id', customer, ...(data.unique_by ?? [])];
  const unmerged = columns.filter(({ column, type }) => {
    return data.unique_by && numberTypes.has(type) && !keys.includes(column) && !(column in (data.merge ?? {}));
  });
  return [
    ...gone,
    ...unnamed,
    ...unkind.map(({ column }) => `${table}.${column} can hold text and has no kind`),
    ...stuck.map(({ column }) => `${table}.${column} is personal and cannot be emptied`),
    ...notGenerated.map(({ column }) => `${table}.${column} is internal but not generated`),
    ...unmerged.map(({ column }) => `${table}.${column} is a number and has no merge rule`),
  ];
}

/** Both customers of a merge may have such a row. */
function gapsOfUnique(table: string, by: readonly string[], declared: readonly { table: string; data: TableData }[]) {
  const { customer, unique_by } = declared.find((one) => one.table === table)?.data ?? {};
  if (customer === undefined || customer === 'id' || !by.includes(customer)) return [];
  const others = by.filter((column) => column !== customer).toSorted();
  if (unique_by?.toSorted().join() === others.join()) return [];
  return [`${table} is unique by ${by.join(' and ')}, and is not declared to be`];
}

/** Partial indexes are left to the module. */
function listUniqueIndexes(db: Db): Promise<{ table: string; by: string[] }[]> {
  return db.rows(sql`
    SELECT indrelid::regclass::text AS "table", array_agg(attname::text ORDER BY attnum) AS by
    FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey)
    WHERE indisunique AND indpred IS NULL AND indrelid::regclass::text !~ '\\.' GROUP BY indexrelid, indrelid`);
}

function tableDepth(declared: readonly { table: string; data: TableData }[], table: string): number {
  const { customer, parent } = declared.find((one) => one.table === table)?.data ?? {};
  if (customer !== undefined) return customer === 'id' ? -1 : 0;
  return parent ? tableDepth(declared, parent.table) + 1 : 0;
}

function isTied({ customer, parent }: TableData): boolean {
  return customer !== undefined || parent !== undefined;
}

function listColumns(db: Db): Promise<Column[]> {
  return db.rows<Column>(sql`
    SELECT c.table_name::text AS "table", c.column_name::text AS "column", c.udt_name::text AS type,
      c.is_nullable = 'YES' OR c.column_default IS NOT NULL AS emptiable, c.is_generated = 'ALWAYS' AS generated
    FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' ORDER BY 1, 2`);
}

function listReferences(db: Db): Promise<{ from: string; to: string }[]> {
  return db.rows(sql`
    SELECT one.relname::text AS "from", other.relname::text AS "to" FROM pg_constraint
    JOIN pg_class one ON one.oid = conrelid JOIN pg_class other ON other.oid = confrelid WHERE contype = 'f'`);
}

function withData(module: TestModule, data: Data): LoadedModule {
  const loaded = testModule(module);
  return { ...loaded, manifest: { ...loaded.manifest, data } };
}

test('all modules declare their tables and the personal columns of customers', async () => {
  const modules = await loadModules(testConfig());
  const platform = await startPlatform({ modules });
  const { db } = await platform.tenant();
  const tenantModules = modules.filter(({ manifest }) => !manifest.system);
  expect(await gaps(db, tenantModules)).toEqual([]);
  const tied = tenantModules.flatMap(({ manifest }) => Object.values(manifest.data ?? {}).filter(isTied));
  expect(tied.length).toBeGreaterThan(5);
});

test('missing declarations are reported', async () => {
  const people = withData(
    {
      alias: 'people',
      migration: `
        CREATE TABLE people (id uuid PRIMARY KEY, name text, nick varchar(9), tags text[], prefs json, born date,
          code text NOT NULL, label text);
        CREATE TABLE forgotten (id uuid PRIMARY KEY, note text);
        CREATE TABLE letters (id uuid PRIMARY KEY, customer_id uuid, user_id bigint);
        CREATE TABLE pages (number integer, person uuid REFERENCES people, text text);
        CREATE TABLE lines (id uuid PRIMARY KEY, page uuid REFERENCES people);
        CREATE TABLE chats (id uuid PRIMARY KEY, customer_id uuid UNIQUE);
        CREATE TABLE members (id uuid PRIMARY KEY, customer_id uuid, chat uuid REFERENCES chats);`,
    },
    {
      people: { customer: 'id', columns: { name: 'personal', code: 'personal', label: 'internal', gone: 'keep' } },
      letters: {},
      lines: {},
      pages: { parent: { table: 'people', column: 'person' }, columns: { text: 'personal' } },
      chats: { customer: 'customer_id' },
      members: { customer: 'customer_id' },
      ghosts: {},
      event_deliveries: {},
    },
  );
  const platform = await startPlatform({ modules: [people] });
  const { db } = await platform.tenant();
  expect(await gaps(db, [people])).toEqual([
    'chats is unique by customer_id, and is not declared to be',
    'event_deliveries is declared by people and the kernel',
    'forgotten is not declared',
    'ghosts is declared but does not exist',
    'letters belongs to customers and is not tied to them',
    'letters.user_id is not declared among the users',
    'lines belongs to customers and is not tied to them',
    'members refers to chats and is not declared to belong to it',
    'people.code is personal and cannot be emptied',
    'people.gone is declared but does not exist',
    'people.label is internal but not generated',
    'people.nick can hold text and has no kind',
    'people.prefs can hold text and has no kind',
    'people.tags can hold text and has no kind',
  ]);
});

const buyers = withData(
  {
    alias: 'buyers',
    migration: `
      CREATE TABLE buyers (id uuid PRIMARY KEY, name text, phone text, tags text[] NOT NULL DEFAULT '{}',
        level text NOT NULL, spent numeric(9, 2) NOT NULL, folded text GENERATED ALWAYS AS (lower(name)) STORED);
      CREATE TABLE places (id uuid PRIMARY KEY, buyer uuid NOT NULL REFERENCES buyers, street text, phone text, city text);
      CREATE TABLE shop_open (day date);`,
  },
  {
    buyers: {
      customer: 'id',
      columns: {
        name: 'personal',
        phone: { mask: 'last_two_digits' },
        tags: 'personal',
        level: 'keep',
        folded: 'internal',
      },
    },
    places: { customer: 'buyer', columns: { street: { mask: 'hide' }, phone: { mask: 'hide' }, city: 'personal' } },
    shop_open: {},
  },
);
const chats = withData(
  {
    alias: 'chats',
    migration: `
      CREATE TABLE chats (id uuid PRIMARY KEY, customer_id uuid NOT NULL, sent_to jsonb, at timestamptz NOT NULL);
      CREATE TABLE messages (id uuid PRIMARY KEY, chat uuid NOT NULL REFERENCES chats, text text NOT NULL);
      CREATE TABLE files (id uuid PRIMARY KEY, message uuid NOT NULL REFERENCES messages, name text);`,
  },
  {
    // Child tables first: the order of declarations does not matter.
    files: { parent: { table: 'messages', column: 'message' }, columns: { name: 'personal' } },
    messages: { parent: { table: 'chats', column: 'chat' }, anonymize: 'delete', columns: { text: 'personal' } },
    chats: {
      customer: 'customer_id',
      columns: { sent_to: { mask: { address1: 'hide', address2: 'hide', phone: 'last_two_digits' } } },
    },
  },
);
const platform = await startPlatform({ modules: [buyers, chats] });

/** Two customers with the same rows in a tenant of their own; the ids of the first begin with 1. */
async function twoBuyers() {
  const { db } = await platform.tenant();
  const uuid = (owner: number, number: number) => `${owner}0000000-0000-4000-8000-00000000000${number}`;
  const address = JSON.stringify({ address1: '12 MG Road', address2: null, city: 'Pune', phone: '+919876543210' });
  for (const owner of [1, 2]) {
    await db.run(sql`
      INSERT INTO buyers (id, name, phone, tags, level, spent)
      VALUES (${uuid(owner, 0)}, 'Asha', '+91 98765', '{a}', 'gold', 5)`);
    await db.run(sql`INSERT INTO places VALUES (${uuid(owner, 1)}, ${uuid(owner, 0)}, 'MG Road', '12345', 'Pune')`);
    await db.run(
      sql`INSERT INTO chats VALUES (${uuid(owner, 2)}, ${uuid(owner, 0)}, ${address}, '2026-01-02T03:04:05Z')`,
    );
    await db.run(sql`INSERT INTO messages VALUES (${uuid(owner, 3)}, ${uuid(owner, 2)}, 'Hello')`);
    await db.run(sql`INSERT INTO messages VALUES (${uuid(owner, 4)}, ${uuid(owner, 2)}, 'Again')`);
    await db.run(sql`INSERT INTO files VALUES (${uuid(owner, 5)}, ${uuid(owner, 3)}, 'asha.png')`);
  }
  const [first, second] = [uuid(1, 0), uuid(2, 0)];
  return {
    db,
    first,
    second,
    data: platform.kernel.personalData(db, noFile),
    customerId: (number: number) => uuid(1, number),
  };
}

test('an export has all rows of a customer, also of child tables, without generated columns', async () => {
  const { data, first, customerId } = await twoBuyers();
  const sent_to = { address1: '12 MG Road', address2: null, city: 'Pune', phone: '+919876543210' };
  expect(await data.rows(first, { masked: false })).toEqual({
    buyers: {
      buyers: [{ id: first, name: 'Asha', phone: '+91 98765', tags: ['a'], level: 'gold', spent: '5.00' }],
      places: [{ id: customerId(1), buyer: first, street: 'MG Road', phone: '12345', city: 'Pune' }],
    },
    chats: {
      chats: [{ id: customerId(2), customer_id: first, sent_to, at: '2026-01-02T03:04:05.000Z' }],
      messages: [
        { id: customerId(3), chat: customerId(2), text: 'Hello' },
        { id: customerId(4), chat: customerId(2), text: 'Again' },
      ],
      files: [{ id: customerId(5), message: customerId(3), name: 'asha.png' }],
    },
  });
});

test('a masked export hides columns and fields as declared', async () => {
  const { data, first } = await twoBuyers();
  const { buyers: own, chats: other } = await data.rows(first, { masked: true });
  expect(own?.buyers).toMatchObject([{ name: 'Asha', phone: '+** ***65' }]);
  expect(own?.places).toMatchObject([{ street: null, phone: null, city: 'Pune' }]);
  expect(other?.chats).toMatchObject([
    { sent_to: { address1: null, address2: null, city: 'Pune', phone: '+**********10' } },
  ]);
});

test('rows are counted by module and table', async () => {
  const { data, first } = await twoBuyers();
  const counts = (await data.count(first)).map(({ module, table, rows }) => `${module} ${table} ${rows}`);
  expect(counts.toSorted()).toEqual([
    'buyers buyers 1',
    'buyers places 1',
    'chats chats 1',
    'chats files 1',
    'chats messages 2',
  ]);
});

test('anonymizing resets personal columns and deletes rows where declared', async () => {
  const { data, first, second, customerId } = await twoBuyers();
  const before = await data.rows(second, { masked: false });
  await data.anonymize(first);
  expect(await data.rows(first, { masked: false })).toEqual({
    buyers: {
      buyers: [{ id: first, name: null, phone: null, tags: [], level: 'gold', spent: '5.00' }],
      places: [{ id: customerId(1), buyer: first, street: null, phone: null, city: null }],
    },
    chats: {
      chats: [{ id: customerId(2), customer_id: first, sent_to: null, at: '2026-01-02T03:04:05.000Z' }],
      messages: [],
      // Child rows of messages.
      files: [],
    },
  });
  expect(await data.rows(second, { masked: false })).toEqual(before);
  await data.anonymize(first);
});

test('removing deletes all rows of one customer and none of another', async () => {
  const { data, db, first, second } = await twoBuyers();
  const before = await data.rows(second, { masked: false });
  await data.remove(first);
  expect((await data.count(first)).every(({ rows }) => rows === 0)).toBe(true);
  expect(await data.rows(second, { masked: false })).toEqual(before);
  expect(await db.row(sql`SELECT count(*) AS files FROM files`)).toEqual({ files: 1 });
});

test('moving gives all rows but the own one to another customer, with their child rows', async () => {
  const { data, first, second } = await twoBuyers();
  await data.move(first, second);
  const counts = (await data.count(second)).map(({ table, rows }) => `${table} ${rows}`);
  expect(counts.toSorted()).toEqual(['buyers 1', 'chats 2', 'files 2', 'messages 4', 'places 2']);
  expect((await data.count(first)).filter(({ rows }) => rows > 0)).toEqual([
    { module: 'buyers', table: 'buyers', rows: 1 },
  ]);
});

const [kept, removed] = ['10000000-0000-4000-8000-000000000000', '20000000-0000-4000-8000-000000000000'];

test('rows that a customer has once are combined by the merge rules of their columns', async () => {
  const cards = withData(
    {
      alias: 'cards',
      migration: `
        CREATE TABLE cards (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), holder uuid UNIQUE, points integer,
          bonus numeric(9, 2), level integer, opened_at date, note text);
        CREATE TABLE stamps (holder uuid, shop integer, stamps integer,
          UNIQUE (shop, holder));`,
    },
    {
      cards: {
        customer: 'holder',
        unique_by: [],
        merge: { points: 'sum', bonus: 'sum', level: 'max', opened_at: 'min', note: 'keep' },
        columns: { note: 'personal' },
      },
      stamps: { customer: 'holder', unique_by: ['shop'], merge: { stamps: 'sum' } },
    },
  );
  const own = await startPlatform({ modules: [cards] });
  const { db } = await own.tenant();
  expect(await gaps(db, [cards])).toEqual([]);
  await db.run(sql`
    INSERT INTO cards (holder, points, bonus, level, opened_at, note)
    VALUES (${kept}, 5, NULL, 1, '2026-02-01', 'own'), (${removed}, 7, 2.50, 3, '2026-01-01', 'other')`);
  await db.run(sql`
    INSERT INTO stamps (holder, shop, stamps) VALUES (${kept}, 1, 1), (${removed}, 1, 2), (${removed}, 2, 3)`);
  await own.kernel.personalData(db, noFile).move(removed as string, kept as string);
  expect(await db.rows(sql`SELECT holder, points, bonus, level, opened_at, note FROM cards`)).toEqual([
    { holder: kept, points: 12, bonus: '2.50', level: 3, opened_at: '2026-01-01', note: 'own' },
  ]);
  expect(await db.rows(sql`SELECT holder, shop, stamps FROM stamps ORDER BY shop`)).toEqual([
    { holder: kept, shop: 1, stamps: 3 },
    { holder: kept, shop: 2, stamps: 3 },
  ]);
  const exported = await own.kernel.personalData(db, noFile).rows(kept as string, { masked: false });
  expect(exported.cards?.stamps).toHaveLength(2);
});

test('a number without a merge rule is reported, and merge rules need unique_by', async () => {
  const migration = 'CREATE TABLE cards (id uuid PRIMARY KEY, holder uuid UNIQUE, points integer);';
  const cards = withData({ alias: 'cards', migration }, { cards: { customer: 'holder', unique_by: [] } });
  const own = await startPlatform({ modules: [cards] });
  const { db } = await own.tenant();
  expect(await gaps(db, [cards])).toEqual(['cards.points is a number and has no merge rule']);
  const withoutKey = withData({ alias: 'cards' }, { cards: { customer: 'holder', merge: { points: 'sum' } } });
  expect(() => createPersonalData([withoutKey])).toThrow('merge rules for cards, which needs unique_by');
});

test('a transaction that fails removes nothing', async () => {
  const { data, db, first } = await twoBuyers();
  const before = await data.rows(first, { masked: false });
  const undone = db.tx(async (tx) => {
    await platform.kernel.personalData(tx, noFile).remove(first);
    throw new Error('undo');
  });
  await expect(undone).rejects.toThrow('undo');
  expect(await data.rows(first, { masked: false })).toEqual(before);
});

test.each<[string, Data]>([
  ['a table without a customer', { lines: { parent: { table: 'pages', column: 'page' } }, pages: {} }],
  ['a table that is not declared', { lines: { parent: { table: 'pages', column: 'page' } } }],
  ['the table itself', { lines: { parent: { table: 'lines', column: 'above' } } }],
  [
    'its own child',
    { lines: { parent: { table: 'pages', column: 'a' } }, pages: { parent: { table: 'lines', column: 'b' } } },
  ],
])('loading fails for a table whose parent is %s', (_, data) => {
  expect(() => createPersonalData([withData({ alias: 'notes' }, data)])).toThrow(
    /the module notes declares data of \w+, which is tied to no customer/,
  );
});
