import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startPlatform, type TestResponse } from '../../server/testing/platform.ts';
import { testModule } from '../../server/testing/test-module.ts';
import { action } from './action.ts';
import { columnsFor } from './columns.ts';
import { Failure } from './errors.ts';
import { equals, filter, hasTags, minMoney, since, tuned } from './filter.ts';
import { Json } from './json.ts';
import { list } from './list.ts';
import { byInteger, byNumber, byText, byTime } from './list-definition.ts';
import { Money } from './money.ts';
import { cursorAt } from './paging.ts';
import { named, Timestamp, Type, Uuid } from './schema.ts';
import { sql } from './sql.ts';

const Thing = named(
  'Thing',
  Type.Object({
    id: Uuid,
    name: Type.String(),
    price: Money,
    tags: Type.Array(Type.String()),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
const definition = {
  name: 'things',
  row: Thing,
  from: sql`things t`,
  alias: sql`t`,
  where: sql`NOT t.hidden`,
  columns: columnsFor(Thing, sql`t`),
  sorts: { created_at: byTime(sql`t.created_at`), name: byText(sql`t.name`), price: byNumber(sql`t.price`) },
} as const;
const filters = {
  name: equals(Type.String(), sql`t.name`),
  min_price: minMoney(sql`t.price`),
  tags: hasTags(sql`t.tags`),
  created_from: since(sql`t.created_at`),
  /** Finds every row, but without a known total. */
  all: tuned(
    filter(Type.Boolean(), (is) => sql`${is}::boolean`),
    { findsOnce: true },
  ),
};
const things = list({ ...definition, filters });
const completed = list({
  ...definition,
  filters,
  complete: async (_ctx, rows: readonly { name: string }[]) =>
    rows.map((row) => ({ ...row, name: `${row.name}!` }) as never),
});
const kept = list({
  ...definition,
  filters,
  total: (_ctx, filters) => (Object.keys(filters).length === 0 ? sql`SELECT 1000::bigint AS total` : undefined),
});
const Part = named('Part', Type.Object({ id: Type.Integer(), n: Type.Integer() }));
const parts = list({
  name: 'parts',
  row: Part,
  from: sql`parts p`,
  alias: sql`p`,
  columns: columnsFor(Part, sql`p`),
  scope: { thing: equals(Uuid, sql`p.thing`) },
  sorts: { n: byInteger(sql`p.n`) },
  sortOrder: 'asc',
  idType: 'bigint',
});

const common = { summary: 'List', public: true } as const;
const platform = await startPlatform({
  modules: [
    testModule({
      alias: 'things',
      actions: {
        'things.list': action({
          ...common,
          http: 'GET /things',
          input: things.Query,
          output: things.Page,
          run: things.page,
        }),
        'things.completed': action({
          ...common,
          http: 'GET /things/completed',
          input: completed.Query,
          output: completed.Page,
          run: completed.page,
        }),
        'things.kept': action({
          ...common,
          http: 'GET /things/kept',
          input: kept.Query,
          output: kept.Page,
          run: kept.page,
        }),
        'things.count': action({
          ...common,
          http: 'GET /things/count',
          input: things.Filters,
          run: async (ctx, query) => ({ count: await things.count(ctx, query) }),
        }),
        'things.export': action({
          ...common,
          http: 'GET /things/export',
          input: things.ExportQuery,
          file: ['text/csv'],
          run: things.file,
        }),
        'things.parts': action({
          ...common,
          http: 'GET /things/:thing/parts',
          input: parts.Query,
          output: parts.Page,
          run: parts.page,
        }),
      },
      migration: `
        CREATE TABLE things (id uuid PRIMARY KEY, name text NOT NULL, price numeric(12, 2) NOT NULL, tags text[] NOT NULL,
          created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, hidden boolean NOT NULL);
        CREATE TABLE parts (id bigint PRIMARY KEY, thing uuid NOT NULL, n int NOT NULL)`,
    }),
  ],
});
const { db, caller: member, context } = await platform.tenant();
const caller = member();

interface Row {
  readonly id: string;
  readonly name: string;
  readonly price: string;
  readonly tags: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly hidden: boolean;
}

/** Times that are equal in responses though they differ in the database, and some far apart. */
const times = fc.constantFrom(
  '2024-01-31T09:30:00.000001Z',
  '2024-01-31T09:30:00.000002Z',
  '2024-01-31T09:30:00.001Z',
  '2024-06-01T00:00:00Z',
  '1969-12-31T23:59:59.999999Z',
);
const names = fc.constantFrom('', 'a', 'A', 'ä', 'b', 'a b', "o'k", '"\\', 'चाय', '😀', 'é'.repeat(200));
const prices = fc.constantFrom('0.00', '0.10', '9.99', '10.00', '9999999999.99');
const tags = fc.subarray(['hot', 'new', 'sale']);
/** Few different values, so that many rows have equal sort keys. */
const row: fc.Arbitrary<Row> = fc.record({
  id: fc.uuid(),
  name: names,
  price: prices,
  tags,
  created_at: times,
  updated_at: times,
  hidden: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});
const rows = fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 25 });

const order = fc.record({
  sort_by: fc.constantFrom('created_at', 'name', 'price', 'updated_at'),
  sort_order: fc.constantFrom('asc', 'desc'),
});
type Order = typeof order extends fc.Arbitrary<infer Value> ? Value : never;

/** Mostly filters that match many rows. */
const someFilters = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.constant({ all: 'true' }) },
  { weight: 1, arbitrary: fc.record({ tags }) },
  {
    weight: 2,
    arbitrary: fc.record(
      { name: names, min_price: prices, tags, created_from: times, updated_from: times, all: fc.constant('true') },
      { requiredKeys: [] },
    ),
  },
);
interface FilterValues {
  readonly all?: string;
  readonly name?: string;
  readonly min_price?: string;
  readonly tags?: readonly string[];
  readonly created_from?: string;
  readonly updated_from?: string;
}

function insert(added: readonly Row[]) {
  return db.run(
    sql`INSERT INTO things SELECT * FROM jsonb_populate_recordset(NULL::things, ${JSON.stringify(added)}::jsonb)`,
  );
}

async function replaceAll(all: readonly Row[]): Promise<void> {
  await db.run(sql`TRUNCATE things`);
  await insert(all);
}

/** The ids of the matching rows in order, from a query that does not use `list`. */
async function naive(filters: FilterValues, { sort_by, sort_order }: Order): Promise<string[]> {
  const found = await db.rows<{ id: string; asc: number; desc: number }>(sql`
    SELECT id,
      row_number() OVER (ORDER BY
        CASE WHEN ${sort_by} = 'created_at' THEN created_at WHEN ${sort_by} = 'updated_at' THEN updated_at END,
        CASE WHEN ${sort_by} = 'name' THEN name END, CASE WHEN ${sort_by} = 'price' THEN price END, id) AS place
    FROM things WHERE NOT hidden
      AND (${filters.name ?? null}::text IS NULL OR name = ${filters.name ?? null})
      AND (${filters.min_price ?? null}::numeric IS NULL OR price >= ${filters.min_price ?? null}::numeric)
      AND (${filters.tags ?? []}::text[] <@ tags)
      AND (${filters.created_from ?? null}::timestamptz IS NULL OR created_at >= ${filters.created_from ?? null}::timestamptz)
      AND (${filters.updated_from ?? null}::timestamptz IS NULL OR updated_at >= ${filters.updated_from ?? null}::timestamptz)
    ORDER BY place`);
  const ids = found.map(({ id }) => id);
  return sort_order === 'asc' ? ids : ids.reverse();
}

function listUrl(path: string, query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, String(one)] as [string, string]),
  );
  return `/api/v1${path}?${new URLSearchParams(pairs)}`;
}

function get(query: Readonly<Record<string, unknown>>, path = '/things'): Promise<TestResponse> {
  return caller.get(listUrl(path, query));
}

/** The last page has a cursor too. */
const isEndless = (query: { sort_by?: string; sort_order?: string }) =>
  query.sort_by === 'updated_at' && query.sort_order === 'asc';

async function walkByCursor(query: object, limit: number, between = async () => {}, path = '/things'): Promise<Row[]> {
  const seen: Row[] = [];
  let next: { cursor?: string } = {};
  for (;;) {
    const { status, body } = await get({ ...query, limit, ...next }, path);
    expect(status).toBe(200);
    seen.push(...body.things);
    const { next_cursor, has_more, ...others } = body.pagination;
    expect({ others, type: typeof next_cursor }).toEqual({
      others: {},
      type: has_more || isEndless(query) ? 'string' : 'object',
    });
    if (!has_more) return seen;
    expect(body.things).toHaveLength(limit);
    next = { cursor: next_cursor };
    await between();
  }
}

async function walkByPage(query: object, per_page: number, path = '/things'): Promise<Row[]> {
  const seen: Row[] = [];
  for (let page = 1; ; page += 1) {
    const { status, body } = await get({ ...query, page, per_page }, path);
    expect(status).toBe(200);
    seen.push(...body.things);
    const { current_page, last_page, total } = body.pagination;
    expect({ current_page, last_page }).toEqual({
      current_page: page,
      last_page: Math.max(1, Math.ceil(total / per_page)),
    });
    if (page >= last_page) {
      expect(seen).toHaveLength(total);
      expect((await get({ ...query, page: page + 1, per_page }, path)).body.things).toEqual([]);
      return seen;
    }
  }
}

const findIds = (found: readonly { id: string }[]) => found.map(({ id }) => id);

test('pages and cursors return every filtered row once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(rows, someFilters, order, fc.integer({ min: 1, max: 7 }), async (all, filters, by, size) => {
      await replaceAll(all);
      const expected = await naive(filters, by);
      const query = { ...filters, ...by };
      const byPage = await walkByPage(query, size);
      expect(findIds(byPage)).toEqual(expected);
      expect(await walkByCursor(query, size)).toEqual(byPage);
      expect((await get(filters, '/things/count')).body).toEqual({ count: expected.length });
    }),
    { numRuns: 80 },
  );
});

test('completing rows changes neither the rows nor their order', async () => {
  await fc.assert(
    fc.asyncProperty(rows, someFilters, order, fc.integer({ min: 1, max: 7 }), async (all, filters, by, size) => {
      await replaceAll(all);
      const query = { ...filters, ...by };
      const plain = await walkByPage(query, size);
      const marked = plain.map((one) => ({ ...one, name: `${one.name}!` }));
      expect(await walkByPage(query, size, '/things/completed')).toEqual(marked);
      expect(await walkByCursor(query, size, undefined, '/things/completed')).toEqual(marked);
    }),
    { numRuns: 20 },
  );
});

test('a file has the rows of the list in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(rows, someFilters, order, async (all, filters, by) => {
      await replaceAll(all);
      const query = { ...filters, ...by };
      const { body } = await get({ ...query, format: 'json' }, '/things/export');
      expect(body.things).toEqual(await walkByPage(query, 100));
      const csv = (await get(query, '/things/export')).body as string;
      expect(csv.split('\r\n')[0]).toBe('\ufeffid,name,price,tags,created_at,updated_at');
      const ids = [...csv.matchAll(/^([0-9a-f]{8}-[0-9a-f-]{27}),/gm)].map(([, id]) => id);
      expect(ids).toEqual(findIds(body.things));
    }),
    { numRuns: 20 },
  );
});

/** Concurrent writes between two pages. */
type Write =
  | { readonly do: 'insert'; readonly row: Row }
  | { readonly do: 'touch' | 'move' | 'delete'; readonly which: number; readonly row: Row };
const write: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), row }),
  fc.record({ do: fc.constantFrom('touch' as const, 'move' as const, 'delete' as const), which: fc.nat(24), row }),
);

test('under concurrent writes a cursor neither skips nor repeats unchanged rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      order,
      fc.integer({ min: 1, max: 5 }),
      fc.array(write, { maxLength: 30 }),
      async (all, by, limit, writes) => {
        await replaceAll(all);
        const stays = new Set(await naive({}, by));
        const everStood = new Set(stays);
        const pending = [...writes];
        const column = { created_at: sql`created_at`, updated_at: sql`updated_at`, name: sql`name`, price: sql`price` }[
          by.sort_by
        ];
        const between = async () => {
          for (const change of pending.splice(0, 3)) {
            if (change.do === 'insert') {
              await db.run(sql`DELETE FROM things WHERE id = ${change.row.id}`);
              await insert([change.row]);
              continue;
            }
            const id = all[change.which % Math.max(1, all.length)]?.id;
            if (id === undefined) continue;
            if (change.do !== 'touch') stays.delete(id);
            if (change.do === 'touch') await db.run(sql`UPDATE things SET tags = ${change.row.tags} WHERE id = ${id}`);
            if (change.do === 'delete') await db.run(sql`DELETE FROM things WHERE id = ${id}`);
            if (change.do === 'move') {
              await db.run(sql`
              UPDATE things t SET ${column} = n.${column}
              FROM jsonb_populate_record(NULL::things, ${JSON.stringify(change.row)}::jsonb) n WHERE t.id = ${id}`);
            }
          }
        };
        const seen = findIds(await walkByCursor(by, limit, between));
        const staying = seen.filter((id) => stays.has(id));
        expect(staying).toEqual((await naive({}, by)).filter((id) => stays.has(id)));
        const moved = new Set([...everStood].filter((id) => !stays.has(id)));
        const unmoved = seen.filter((id) => !moved.has(id));
        expect(new Set(unmoved).size).toBe(unmoved.length);
      },
    ),
    { numRuns: 60 },
  );
});

const sample = (count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `0190a000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    name: `n${n}`,
    price: '1.00',
    tags: [],
    hidden: false,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  }));

test.each([
  [0, 1],
  [1, 1],
  [4, 1],
  [5, 2],
  [8, 2],
  [9, 3],
])('of %i rows, four to a page, the last page is %i', async (count, last) => {
  await replaceAll(sample(count));
  for (const query of [{}, { all: true }]) {
    for (const path of ['/things', '/things/completed']) {
      const { body } = await get({ ...query, per_page: 4 }, path);
      expect(body.pagination).toEqual({ current_page: 1, last_page: last, per_page: 4, total: count });
    }
  }
  const { body } = await get({ limit: 4 });
  expect(body.pagination.has_more).toBe(count > 4);
});

test('a known total is used only without filters', async () => {
  await replaceAll(sample(3));
  expect((await get({}, '/things/kept')).body.pagination.total).toBe(1000);
  expect((await get({ all: true }, '/things/kept')).body.pagination.total).toBe(3);
});

test('the default is the first sort, descending', async () => {
  await replaceAll(sample(3));
  expect(findIds((await get({})).body.things)).toEqual(findIds(sample(3)).reverse());
  expect((await get({})).body.pagination).toEqual({ current_page: 1, last_page: 1, per_page: 20, total: 3 });
});

test('a scoped list has only rows of its parent, also with numeric ids and negative sort keys', async () => {
  const [one, other] = ['0190a000-0000-7000-8000-000000000001', '0190a000-0000-7000-8000-000000000002'];
  await db.run(
    sql`INSERT INTO parts SELECT n, CASE WHEN n % 3 = 0 THEN ${other} ELSE ${one} END::uuid, n / 4 - 5 FROM generate_series(1, 30) n`,
  );
  const seen: { id: number; n: number }[] = [];
  for (let next: object = {}; ; ) {
    const { status, body } = await get({ limit: 3, ...next }, `/things/${one}/parts`);
    expect(status).toBe(200);
    seen.push(...body.parts);
    if (!body.pagination.has_more) break;
    next = { cursor: body.pagination.next_cursor };
  }
  const expected = Array.from({ length: 30 }, (_, index) => index + 1).filter((n) => n % 3 !== 0);
  expect(seen).toEqual(expected.map((id) => ({ id, n: Math.floor(id / 4) - 5 })));
});

test('a cursor is valid for one order only', async () => {
  await replaceAll(sample(5));
  const { next_cursor: cursor } = (await get({ limit: 2, sort_by: 'name' })).body.pagination;
  expect((await get({ cursor, sort_by: 'name' })).status).toBe(200);
  for (const wrong of [{ sort_by: 'price' }, { sort_by: 'name', sort_order: 'asc' }, {}]) {
    const { status, body } = await get({ cursor, ...wrong });
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: { cursor: ['The cursor belongs to the order name desc. Use the same sort_by and sort_order.'] },
    });
  }
});

test.each([
  { page: 2, limit: 2 },
  { page: 2, cursor: 'x' },
  { per_page: 50, limit: 2 },
  { per_page: 50, cursor: 'x' },
])('pages and cursors cannot be combined: %j', async (query) => {
  const { status, body } = await get(query);
  const [field] = Object.keys(query);
  expect({ status, fields: Object.keys(body.errors) }).toEqual({ status: 422, fields: [field] });
});

const forged = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
const id = '0190a000-0000-7000-8000-000000000000';
const at = '2026-01-01 00:00:00+00';

test.each([
  ['nothing', ''],
  ['no base64', '%%%'],
  ['no JSON', Buffer.from('{').toString('base64url')],
  ['no list', Buffer.from('{"a":1}').toString('base64url')],
  ['null', Buffer.from('null').toString('base64url')],
  ['too few parts', forged('created_at', 'desc', at)],
  ['too many parts', forged('created_at', 'desc', at, id, 1)],
  ['a part that is no text', forged('created_at', 'desc', 5, id)],
  ['a key that is missing', forged('created_at', 'desc', null, id)],
  ['an invalid time', forged('created_at', 'desc', 'yesterday', id)],
  ['a time that no calendar has', forged('created_at', 'desc', '2026-13-45 99:00:00+00', id)],
  ['SQL', forged('created_at', 'desc', `${at}'; DROP TABLE things; --`, id)],
  ['an invalid id', forged('created_at', 'desc', at, 'x')],
  ['an invalid sort', forged('constructor', 'desc', at, id)],
  ['far too much', 'x'.repeat(2_001)],
])('an invalid cursor is 422: %s', async (_, cursor) => {
  expect((await get({ cursor, limit: 2 })).status).toBe(422);
  expect((await get({ cursor: forged('price', 'desc', '1e5', id), sort_by: 'price' })).status).toBe(422);
  expect((await get({ cursor: forged('name', 'desc', 'a\0b', id), sort_by: 'name' })).status).toBe(422);
  expect((await get({ cursor: forged('name', 'desc', '\ud800', id), sort_by: 'name' })).status).toBe(422);
});

test('any modified cursor is accepted or 422', async () => {
  await replaceAll(sample(5));
  const { next_cursor } = (await get({ limit: 2 })).body.pagination;
  const text = Buffer.from(next_cursor, 'base64url').toString();
  const change = fc.tuple(fc.nat(text.length - 1), fc.nat(4), fc.string({ unit: 'binary', maxLength: 6 }));
  await fc.assert(
    fc.asyncProperty(change, async ([from, count, put]) => {
      const changed = text.slice(0, from) + put + text.slice(from + count);
      const { status } = await get({ cursor: Buffer.from(changed).toString('base64url'), limit: 2 });
      expect([200, 422]).toContain(status);
    }),
    { numRuns: 200 },
  );
});

/** As an action gets it, with all defaults. */
const validQuery = { page: 1, per_page: 20 } as const;
const parentIds = ['a', 'b', 'c'].map((digit) => `${digit.repeat(8)}-0000-7000-8000-000000000000`);

test('several pages at once are equal to each page alone', async () => {
  const ctx = context('things');
  const window = fc.oneof(
    { weight: 3, arbitrary: fc.record({ limit: fc.integer({ min: 1, max: 4 }) }) },
    fc.record({ page: fc.integer({ min: 1, max: 3 }), per_page: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ limit: fc.integer({ min: 1, max: 4 }), cursor: fc.constantFrom('next', 'forged') }),
  );
  const by = fc.record({ sort_by: fc.constantFrom('n'), sort_order: fc.constantFrom('asc', 'desc') });
  const thing = fc.constantFrom(...parentIds);
  /** Queries with the same size and order, as for the lists of all records of a page, or with any. */
  const queries = fc.oneof(
    fc
      .tuple(by, window, fc.array(thing, { minLength: 2, maxLength: 5 }))
      .map(([one, part, all]) => all.map((of) => ({ ...validQuery, ...one, ...part, thing: of }))),
    fc.array(
      fc.tuple(by, window, thing).map(([one, part, of]) => ({ ...validQuery, ...one, ...part, thing: of })),
      { maxLength: 5 },
    ),
  );
  const stored = fc.array(fc.record({ thing, n: fc.integer({ min: 0, max: 3 }) }), { maxLength: 20 });
  const alone = async (query: object) => {
    try {
      const found = await parts.page(ctx, query as never);
      return { page: found instanceof Json ? found.value : found };
    } catch (error) {
      return { refused: (error as Failure).code };
    }
  };
  const withCursor = async (query: { thing: string; cursor?: string }) => {
    if (query.cursor !== 'next') return query;
    const { page } = await alone({ ...query, limit: 1, cursor: undefined });
    const { next_cursor } = (page?.pagination ?? {}) as { next_cursor?: string | null };
    return { ...query, cursor: next_cursor ?? 'forged' };
  };
  await fc.assert(
    fc.asyncProperty(stored, queries, async (all, asked) => {
      await db.run(sql`TRUNCATE parts`);
      const values = JSON.stringify(all.map((row, id) => ({ ...row, id })));
      await db.run(sql`INSERT INTO parts SELECT * FROM jsonb_populate_recordset(NULL::parts, ${values}::jsonb)`);
      const sent = await Promise.all(asked.map(withCursor));
      const together = await parts.pages(ctx, sent as never);
      const shown = together.map((result) => (result instanceof Failure ? { refused: result.code } : { page: result }));
      expect(shown).toEqual(await Promise.all(sent.map(alone)));
      for (const result of together) {
        if (result instanceof Failure || !('has_more' in result.pagination)) continue;
        const { parts: found, pagination } = result;
        expect(found.map((_, index) => typeof cursorAt(result, index))).toEqual(found.map(() => 'string'));
        if (pagination.has_more) expect(cursorAt(result, found.length - 1)).toBe(pagination.next_cursor);
      }
    }),
    { numRuns: 100 },
  );
});

test('a page by cursor can be limited to some fields', async () => {
  await db.run(sql`TRUNCATE things`);
  await db.run(sql`
    INSERT INTO things VALUES (gen_random_uuid(), 'tea', 2.50, ARRAY['hot'], '2026-01-31T09:30:00Z', now(), false)`);
  const ctx = context('things');
  const query = { ...validQuery, sort_by: 'created_at', limit: 1 } as never;
  const page = (await things.paged.runFields(ctx, query, new Set(['price', 'created_at']))) as Json<object>;
  expect(page.value).toEqual({
    things: [{ price: '2.50', created_at: '2026-01-31T09:30:00.000Z' }],
    pagination: { next_cursor: null, has_more: false },
  });
});
