import { action, Failure, type ResolverContext, sql, Type, Uuid } from '@chowk/kit/kernel';
import { beforeEach, expect, test, vi } from 'vitest';
import { auditEntries } from '../../testing/audit-entries.ts';
import { startPlatform, type TestCaller, type TestTenant } from '../../testing/platform.ts';
import { repositoryModules } from '../../testing/repository-modules.ts';
import { testModule } from '../../testing/test-module.ts';

/* Requests to the gateway with small modules: context, errors, limits, caches, batches and audit. */

const Item = Type.Object(
  { id: Uuid, name: Type.String(), maker_id: Type.Union([Uuid, Type.Null()]) },
  { title: 'Item' },
);
const Maker = Type.Object({ id: Uuid, name: Type.String() }, { title: 'Maker' });
const makeId = (kind: number, index: number) => `0190a000-0000-7000-800${kind}-${String(index).padStart(12, '0')}`;
const makeItem = (id: string) => ({
  id,
  name: `Item ${Number(id.slice(-12))}`,
  maker_id: makeId(1, Number(id.slice(-2)) % 5),
});
const makeMaker = (id: string) => ({ id, name: `Maker ${Number(id.slice(-12))}` });
const rows = Array.from({ length: 20 }, (_, index) => makeItem(makeId(0, index)));

/** The calls of actions: their name and the number of inputs. */
let calls: [string, number][] = [];
const record = (name: string, count = 1) => void calls.push([name, count]);
beforeEach(() => {
  calls = [];
});

const byId = Type.Object({ id: Uuid });
const Query = Type.Object({
  maker_id: Type.Optional(Uuid),
  page: Type.Optional(Type.Integer()),
  per_page: Type.Optional(Type.Integer()),
  limit: Type.Optional(Type.Integer()),
  cursor: Type.Optional(Type.String()),
});
const page = ({ maker_id, limit = 20 }: { maker_id?: string; limit?: number }) => {
  const found = rows.filter((row) => maker_id === undefined || row.maker_id === maker_id);
  const pagination = { next_cursor: null, has_more: found.length > limit, total: found.length };
  return { items: found.slice(0, limit), pagination };
};
const view = { summary: 'Read', needs: 'catalog.view', bus: { rateLimit: 600 } } as const;
const gone = () => new Failure('catalog.gone', 404, 'There is no such item.');

const catalog = {
  ...testModule({
    alias: 'catalog',
    actions: {
      'catalog.list': action({
        ...view,
        http: 'GET /catalog',
        graphql: 'items',
        input: Query,
        output: Type.Object({ items: Type.Array(Item), pagination: Type.Unknown() }),
        run: async (_, query) => {
          record('catalog.list');
          return page(query);
        },
        runBatch: async (_, queries) => {
          record('catalog.list', queries.length);
          return queries.map(page);
        },
      }),
      'catalog.get': action({
        ...view,
        http: 'GET /catalog/:id',
        graphql: 'item',
        input: byId,
        output: Item,
        errors: ['catalog.gone'],
        run: async (_, { id }) => {
          record('catalog.get');
          if (!rows.some((row) => row.id === id)) throw gone();
          return makeItem(id);
        },
      }),
      'catalog.maker': action({
        ...view,
        http: 'GET /makers/:id',
        graphql: 'maker',
        input: byId,
        output: Maker,
        run: async (_, { id }) => {
          record('catalog.maker');
          return makeMaker(id);
        },
        runBatch: async (_, inputs) => {
          record('catalog.maker', inputs.length);
          return inputs.map(({ id }) => (id.endsWith('4') ? gone() : makeMaker(id)));
        },
      }),
      'catalog.rename': action({
        summary: 'Rename an item',
        needs: 'catalog.edit',
        http: 'POST /catalog/:id/name',
        graphql: 'renameItem',
        input: Type.Object({ id: Uuid, name: Type.String({ minLength: 2 }) }),
        output: Item,
        run: async (_, { id, name }) => {
          record('catalog.rename');
          if (name === 'taken') throw new Failure('catalog.taken', 409, 'The name is taken.');
          return { ...makeItem(id), name };
        },
      }),
      'catalog.scarce': action({
        summary: 'Count',
        needs: 'catalog.view',
        bus: { rateLimit: 5 },
        http: 'GET /scarce',
        graphql: 'scarce',
        output: Type.Object({ count: Type.Integer() }),
        run: async () => ({ count: 1 }),
      }),
      'catalog.crash': action({
        summary: 'Crash',
        needs: 'catalog.view',
        http: 'GET /crash',
        graphql: 'crash',
        output: Type.Object({ count: Type.Integer() }),
        run: async () => {
          throw new Error('secret');
        },
      }),
      'catalog.wrong': action({
        summary: 'Return a wrong value',
        needs: 'catalog.view',
        http: 'GET /wrong',
        graphql: 'wrong',
        output: Item,
        run: async () => ({ id: null, name: 'secret', maker_id: null }) as never,
      }),
    },
  }),
  graphql: {
    sdl: [
      `type Query {
        context: JSON
        throwing: String
        throwingText: String
        perUser: Int @cache(seconds: 60)
        perTenant(of: String): Int @cache(seconds: 60, scope: TENANT)
        cachedNull: Int @cache(seconds: 60)
        guarded: Int @can(permission: "catalog.secret")
        personal: Int @auth
        guardedAndCached: Int @can(permission: "catalog.secret") @cache(seconds: 60, scope: TENANT)
        undeclared: JSON
        parts: [Part!]
      }
      type Part { size: Int, weight: Int @cache(seconds: 60) }
      extend type Item { maker: Maker, similar(first: Int = 5): ItemConnection, views: Int @cache(seconds: 60) }`,
    ],
    resolvers: [
      {
        Query: {
          context: (_: unknown, __: unknown, ctx: ResolverContext) => ({
            user: ctx.user.id,
            tenant: ctx.tenantId,
            request: ctx.request.id,
            header: ctx.request.header('x-test'),
            can: [ctx.hasPermission('catalog.view'), ctx.hasPermission('catalog.secret')],
          }),
          throwing: () => {
            throw new Error('secret');
          },
          throwingText: () => {
            throw 'secret';
          },
          perUser: count,
          perTenant: count,
          guarded: () => 1,
          guardedAndCached: count,
          personal: () => 1,
          cachedNull: () => {
            count();
            return null;
          },
          undeclared: (_: unknown, __: unknown, ctx: ResolverContext) => ctx.call('shop.get', {}),
          parts: () => [{ size: 1 }, { size: 2 }],
        },
        Item: {
          views: count,
          maker: ({ maker_id }: never, _: unknown, ctx: ResolverContext) => ctx.load('catalog.maker', { id: maker_id }),
          similar: ({ maker_id }: never, { first }: { first: number }, ctx: ResolverContext) =>
            ctx.list('catalog.list', { maker_id }, { first }),
        },
        Part: { weight: ({ size }: never) => size * 10 },
      } as never,
    ],
  },
};

let counted = 0;
function count(): number {
  counted += 1;
  return counted;
}

const shop = {
  ...testModule({
    alias: 'shop',
    consumes: [{ operation: 'catalog.get', permission: 'shop.use' }, 'catalog.maker'],
    actions: {
      'shop.get': action({
        summary: 'Get the shop',
        needs: 'shop.use',
        bus: { rateLimit: 600 },
        run: async () => ({}),
      }),
      'shop.internal': action({
        summary: 'Read',
        needs: 'shop.use',
        http: 'GET /shop',
        run: async () => ({ own: true }),
      }),
    },
  }),
  graphql: {
    sdl: [
      `type Query { bestItem: Item, bestMaker: Maker, own: JSON, allItems: JSON }
      extend type Item { shelf: Int }`,
    ],
    resolvers: [
      {
        Query: {
          bestItem: (_: unknown, __: unknown, ctx: ResolverContext) => ctx.call('catalog.get', { id: makeId(0, 1) }),
          bestMaker: (_: unknown, __: unknown, ctx: ResolverContext) => ctx.load('catalog.maker', { id: makeId(1, 1) }),
          own: (_: unknown, __: unknown, ctx: ResolverContext) => ctx.call('shop.internal', {}),
          allItems: (_: unknown, __: unknown, ctx: ResolverContext) => ctx.call('catalog.list', {}),
        },
        Item: { shelf: () => 7 },
      } as never,
    ],
  },
};

const platform = await startPlatform({
  modules: [...(await repositoryModules('graphql', 'administration')), catalog, shop],
  environment: { GRAPHQL_INTROSPECTION: 'false' },
});
const { kernel } = platform;
const acme = await platform.tenant();
const everything = ['catalog.view', 'catalog.edit', 'catalog.secret', 'shop.use', 'audit.view', 'settings.view'];
const caller = acme.caller(...everything, 'settings.edit', 'graphql.settings.manage', 'graphql.schema.view');
const viewer = acme.caller('catalog.view');

async function ask(query: string, { by = caller as TestCaller, variables = {}, headers = {} } = {}) {
  const { status, body } = await by.post('/api/v1/graphql', { query, variables }, headers);
  expect(status).toBe(200);
  return body;
}
const listCodes = ({ errors = [] }: { errors?: { extensions: { code: string } }[] }) =>
  errors.map(({ extensions }) => extensions.code);

test('a resolver has access to the user, the tenant, the request and the permissions', async () => {
  const { body, headers } = await viewer.post('/api/v1/graphql', { query: '{ context }' }, { 'x-test': 'hello' });
  expect(body.data.context).toEqual({
    user: viewer.user.id,
    tenant: acme.id,
    request: headers['x-request-id'],
    header: 'hello',
    can: [true, false],
  });
});

test('a resolver calls its own actions and declared operations, with their permission or its own', async () => {
  const keeper = acme.caller('shop.use');
  expect(await ask('{ own bestItem { name shelf } }', { by: keeper })).toMatchObject({
    data: { own: { own: true }, bestItem: { name: 'Item 1', shelf: 7 } },
  });
  const direct = await ask(`{ item(id: "${makeId(0, 1)}") { name } bestMaker { name } }`, { by: keeper });
  expect(listCodes(direct)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
  expect(direct.data).toEqual({ item: null, bestMaker: null });
  const withoutRight = await ask('{ own bestItem { name } bestMaker { name } }', { by: viewer });
  expect(withoutRight.data).toEqual({ own: null, bestItem: null, bestMaker: { name: 'Maker 1' } });
});

test('a resolver cannot call an operation that its module does not declare', async () => {
  for (const query of ['{ undeclared }', '{ allItems }']) {
    const body = await ask(query);
    expect(Object.values(body.data)).toEqual([null]);
    expect(body.errors).toHaveLength(1);
    expect(calls).toEqual([]);
  }
});

test('@can refuses a field, before its cached value is read', async () => {
  expect((await ask('{ guarded guardedAndCached }')).errors).toBeUndefined();
  const refused = await ask('{ guarded guardedAndCached }', { by: viewer });
  expect(refused.data).toEqual({ guarded: null, guardedAndCached: null });
  expect(listCodes(refused)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
});

test('@auth refuses a field to API clients', async () => {
  const client = acme.caller('catalog.view');
  expect((await ask('{ personal }', { by: client })).data).toEqual({ personal: 1 });
  Object.assign(client.user.session, { kind: 'client' });
  expect(listCodes(await ask('{ personal }', { by: client }))).toEqual(['FORBIDDEN']);
});

async function cachedValue(field: string, by: TestCaller = caller) {
  return (await ask(`{ value: ${field} }`, { by })).data.value;
}

test('@cache keeps a value for the user, or for the tenant, and for the arguments', async () => {
  const own = await cachedValue('perUser');
  expect(await cachedValue('perUser')).toBe(own);
  expect(await cachedValue('perUser', viewer)).not.toBe(own);
  const shared = await cachedValue('perTenant');
  expect(await cachedValue('perTenant', viewer)).toBe(shared);
  expect(await cachedValue('perTenant(of: "b")')).not.toBe(shared);
  const globex = await platform.tenant();
  expect(await cachedValue('perTenant', globex.caller('catalog.view'))).not.toBe(shared);
  platform.identity.join(caller.user, globex.id, everything);
  const inOther = await caller.post('/api/v1/graphql', { query: '{ perUser }' }, { 'x-tenant': globex.id });
  expect(inOther.body.data.perUser).not.toBe(own);
  const before = counted;
  expect([await cachedValue('cachedNull'), await cachedValue('cachedNull'), counted - before]).toEqual([null, null, 1]);
});

test('@cache keeps a value no longer than it says', async () => {
  const set = vi.spyOn(kernel.cache, 'set');
  await cachedValue('perTenant(of: "expiry")');
  expect(set).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(acme.id), expect.any(Number), 60);
  set.mockRestore();
});

test('@cache keeps a value for each record, and none for records without an id', async () => {
  const { data } = await ask(`{ a: item(id: "${makeId(0, 1)}") { views } b: item(id: "${makeId(0, 2)}") { views } }`);
  expect(data.a.views).not.toBe(data.b.views);
  expect((await ask(`{ a: item(id: "${makeId(0, 1)}") { views } }`)).data.a).toEqual(data.a);
  for (let use = 0; use < 2; use++) {
    expect((await ask('{ parts { size weight } }')).data.parts).toEqual([
      { size: 1, weight: 10 },
      { size: 2, weight: 20 },
    ]);
  }
});

test('@cache returns no value to a user who has lost the rights for it, or to a token that lacks them', async () => {
  const user = acme.caller('catalog.view', 'catalog.secret');
  const first = await cachedValue('perUser', user);
  platform.identity.join(user.user, acme.id, ['catalog.view']);
  expect(await cachedValue('perUser', user)).not.toBe(first);
});

test('an internal error never shows its message', async () => {
  const message = 'An internal error occurred. Quote the request id when you contact support.';
  for (let use = 0; use < 4; use++) {
    const { body, headers } = await caller.post('/api/v1/graphql', {
      query: '{ throwing throwingText crash wrong { id } tenant { id } }',
    });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(body.data).toEqual({
      throwing: null,
      throwingText: null,
      crash: null,
      wrong: null,
      tenant: { id: acme.id },
    });
    const extensions = { code: 'INTERNAL', request_id: headers['x-request-id'] };
    expect(body.errors).toHaveLength(4);
    for (const error of body.errors) expect(error).toMatchObject({ message, extensions, path: expect.any(Array) });
  }
});

test('each refusal has the code of the contract', async () => {
  const item = (id: string) => `{ item(id: "${id}") { name } }`;
  const rename = `mutation ($id: ID!) { renameItem(id: $id, input: { name: "x" }) { id } }`;
  const cases: [string, string, object?][] = [
    ['GRAPHQL_PARSE_FAILED', '{'],
    ['GRAPHQL_VALIDATION_FAILED', '{ nothing }'],
    ['INTROSPECTION_DISABLED', '{ __schema { types { name } } }'],
    ['NOT_FOUND', item(makeId(9, 9))],
    ['BAD_INPUT', item('not-an-id')],
    ['BAD_INPUT', 'query ($id: ID!) { item(id: $id) { name } }', {}],
    ['BAD_INPUT', rename, { id: makeId(0, 1) }],
    ['INTERNAL', '{ throwing }'],
  ];
  for (const [code, query, variables] of cases) {
    expect({ query, codes: listCodes(await ask(query, { variables })) }).toEqual({ query, codes: [code] });
  }
});

test('validation errors name the fields, as over REST', async () => {
  const input = { name: 'x' };
  const overRest = await caller.post(`/api/v1/catalog/${makeId(0, 1)}/name`, input);
  const query = 'mutation ($id: ID!, $input: RenameItemInput!) { renameItem(id: $id, input: $input) { id } }';
  const { errors } = await ask(query, { variables: { id: makeId(0, 1), input } });
  const { message, errors: byField, error_codes } = overRest.body;
  expect(errors[0]).toMatchObject({ message, path: ['renameItem'] });
  expect(errors[0].extensions).toMatchObject({ code: 'BAD_INPUT', errors: byField, error_codes });
  expect(byField.name).toHaveLength(1);
});

test('a field that fails does not take the others with it', async () => {
  const id = makeId(0, 0);
  const { data, errors } = await ask(`{ good: item(id: "${id}") { name } bad: item(id: "${makeId(9, 9)}") { name } }`);
  expect(data).toEqual({ good: { name: 'Item 0' }, bad: null });
  expect(errors).toEqual([
    {
      message: 'There is no such item.',
      path: ['bad'],
      locations: [expect.any(Object)],
      extensions: { code: 'NOT_FOUND', reason: 'catalog.gone' },
    },
  ]);
});

test('mutations run in order, and those after a failed one run too', async () => {
  const mutation = (alias: string, name: string) =>
    `${alias}: renameItem(id: "${makeId(0, 1)}", input: { name: "${name}" }) { name }`;
  const body = await ask(`mutation { ${mutation('a', 'One')} ${mutation('b', 'taken')} ${mutation('c', 'Two')} }`);
  expect(body.data).toEqual({ a: { name: 'One' }, b: null, c: { name: 'Two' } });
  expect(body.errors).toMatchObject([{ path: ['b'], extensions: { code: 'BAD_INPUT', reason: 'catalog.taken' } }]);
  expect(calls).toEqual([
    ['catalog.rename', 1],
    ['catalog.rename', 1],
    ['catalog.rename', 1],
  ]);
});

test('thirty aliases do not evade the rate limit of a bus operation', async () => {
  const aliases = Array.from({ length: 30 }, (_, index) => `a${index}: catalog_scarce`).join(' ');
  const { data, errors } = await ask(`mutation { ${aliases} }`);
  expect(Object.values(data).filter((value) => value !== null)).toHaveLength(5);
  expect(errors).toHaveLength(25);
  expect(errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retry_after: expect.any(Number) });
  expect(errors[0].extensions.retry_after).toBeGreaterThan(0);
});

test('every alias counts against the rate limit of the user', async () => {
  const limited = await startPlatform({
    modules: [...(await repositoryModules('graphql')), catalog],
    environment: { RATE_LIMIT_PER_MINUTE: '10' },
  });
  const tenant = await limited.tenant();
  for (const field of ['maker(id: $id) { id }', 'items(first: 1, maker_id: $id) { nodes { id } }', 'scarce']) {
    const user = tenant.caller('catalog.view');
    const aliases = Array.from(
      { length: 30 },
      (_, index) => `a${index}: ${field.replace('$id', `"${makeId(1, index)}"`)}`,
    );
    const { data, errors } = await ask(`{ ${aliases.join(' ')} }`, { by: user });
    expect(Object.values(data).filter((value) => value !== null)).toHaveLength(10);
    expect(errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retry_after: expect.any(Number) });
    const next = await user.post('/api/v1/graphql', { query: '{ tenant { id } }' });
    expect({ status: next.status, retry: Number(next.headers['retry-after']) > 0 }).toEqual({
      status: 429,
      retry: true,
    });
  }
});

test('a list with a record in each row costs two calls, a list in each row too', async () => {
  const records = await ask('{ items(first: 20) { nodes { name maker { name } } } }');
  expect(records.data.items.nodes).toHaveLength(20);
  // A failed record of a batch does not affect the others.
  expect(records.data.items.nodes.filter(({ maker }: { maker: unknown }) => maker === null)).toHaveLength(4);
  expect(new Set(listCodes(records))).toEqual(new Set(['NOT_FOUND']));
  expect(calls).toEqual([
    ['catalog.list', 1],
    ['catalog.maker', 5],
  ]);
  calls = [];
  const lists = await ask('{ items(first: 20) { nodes { similar(first: 2) { nodes { name } } } } }');
  expect(lists.errors).toBeUndefined();
  expect(lists.data.items.nodes[0].similar.nodes).toEqual([{ name: 'Item 0' }, { name: 'Item 5' }]);
  expect(calls).toEqual([
    ['catalog.list', 1],
    ['catalog.list', 5],
  ]);
});

test('mutations are recorded as bus calls are, unless the tenant turns it off', async () => {
  const mutation = (name: string) =>
    `mutation { renameItem(id: "${makeId(0, 3)}", input: { name: "${name}" }) { id } }`;
  const own = await platform.tenant();
  const member = own.caller(...everything, 'settings.edit', 'graphql.settings.manage');
  const entries = () => auditEntries(platform, member, 'catalog.rename');
  await ask(mutation('Cup'), { by: member });
  await ask(mutation('taken'), { by: member });
  await ask(mutation('Cup'), { by: own.caller('catalog.view') });
  await ask('{ items { nodes { id } } }', { by: member });
  const common = {
    transport: 'graphql',
    module: null,
    resource: 'catalog',
    resource_id: makeId(0, 3),
    action: 'catalog.rename',
  };
  expect(await entries()).toMatchObject([
    { ...common, outcome: 'refused', error_code: 'auth.forbidden' },
    { ...common, outcome: 'failed', error_code: 'catalog.taken' },
    { ...common, outcome: 'ok', user_id: member.user.id, input: { id: makeId(0, 3), name: 'Cup' } },
  ]);
  expect(await auditEntries(platform, member, 'catalog.list')).toEqual([]);
  await member.patch('/api/v1/settings', { 'graphql.audit_mutations': false });
  await ask(mutation('Bowl'), { by: member });
  expect(await entries()).toHaveLength(3);
});

test('a mutation that is repeated with the same idempotency key runs once', async () => {
  const query = `mutation { renameItem(id: "${makeId(0, 3)}", input: { name: "Cup" }) { name } }`;
  const send = (body: object, key = 'k1') => caller.post('/api/v1/graphql', body, { 'idempotency-key': key });
  const [first, second] = [await send({ query }), await send({ query })];
  expect(first.body.data).toEqual({ renameItem: { name: 'Cup' } });
  expect(second).toMatchObject({ status: 200, body: first.body, headers: { 'idempotency-replayed': 'true' } });
  expect(second.headers['content-type']).toBe(first.headers['content-type']);
  expect(calls).toEqual([['catalog.rename', 1]]);
  expect((await send({ query: '{ tenant { id } }' })).status).toBe(422);
});

test('a request that was refused as a whole does not use up its idempotency key', async () => {
  const user = acme.caller('catalog.view');
  const headers = { 'idempotency-key': 'refused' };
  const send = (query: string) => user.post('/api/v1/graphql', { query }, headers);
  const rename = (alias: string, name: string) =>
    `${alias}: renameItem(id: "${makeId(0, 3)}", input: { name: "${name}" }) { name }`;
  expect(listCodes((await send('{ nothing }')).body)).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  expect(listCodes((await send(`mutation { ${rename('a', 'Cup')} }`)).body)).toEqual(['FORBIDDEN']);
  platform.identity.join(user.user, acme.id, ['catalog.edit']);
  const partial = `mutation { ${rename('a', 'Cup')} ${rename('b', 'taken')} }`;
  const { body } = await send(partial);
  expect(body.data).toEqual({ a: { name: 'Cup' }, b: null });
  expect(await send(partial)).toMatchObject({ body, headers: { 'idempotency-replayed': 'true' } });
  expect(calls).toHaveLength(2);
});

async function readSchema(tenant: TestTenant): Promise<string> {
  const { status, body } = await tenant.caller('graphql.schema.view').get('/api/v1/graphql/schema');
  expect(status).toBe(200);
  return body;
}

test('without a module its fields, types and extensions disappear for that tenant only, with the next request', async () => {
  const [one, other] = [await platform.tenant(), await platform.tenant()];
  const reader = one.caller(...everything);
  const query = `{ item(id: "${makeId(0, 1)}") { name shelf } }`;
  expect((await ask(query, { by: reader })).data.item).toEqual({ name: 'Item 1', shelf: 7 });
  await kernel.installations.set(one.id, 'shop', 'disabled');
  expect(listCodes(await ask(query, { by: reader }))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  expect(await readSchema(one)).not.toMatch(/shelf|bestItem|shop_get/);
  expect(await readSchema(one)).toMatch(/type Item /);
  await kernel.installations.set(one.id, 'shop', 'enabled');
  await kernel.installations.set(one.id, 'catalog', 'disabled');
  const text = await readSchema(one);
  expect(text).toMatch(/own: JSON/);
  expect(text).not.toMatch(/\bItem|shelf|Maker|catalog_/);
  expect(await readSchema(other)).toMatch(/shelf: Int/);
  expect((await ask(query, { by: other.caller(...everything) })).data.item.shelf).toBe(7);
  await kernel.installations.set(one.id, 'catalog', 'enabled');
  expect((await ask(query, { by: reader })).data.item.shelf).toBe(7);
});

test('the schema is cached by ring and modules, for the configured time', async () => {
  const tenant = await platform.tenant();
  for (const alias of ['shop', 'catalog']) await kernel.installations.set(tenant.id, alias, 'disabled');
  const set = vi.spyOn(kernel.cache, 'set');
  const text = await readSchema(tenant);
  const [key = '', value, seconds] = set.mock.calls[0] ?? [];
  set.mockRestore();
  expect(key).toMatch(/^graphql:schema:stable:[0-9a-f]{16}$/);
  expect({ value, seconds }).toEqual({ value: text, seconds: 86_400 });
  await kernel.cache.set(key, 'from the cache', 60);
  expect(await readSchema(tenant)).toBe('from the cache');
  expect(await readSchema(acme)).toMatch(/shelf/);
});

test('modules that conflict make the start fail', async () => {
  const rival = { ...testModule({ alias: 'rival' }), graphql: { sdl: ['type Item { id: ID }'], resolvers: [] } };
  const started = await startPlatform({ modules: [...(await repositoryModules('graphql')), catalog, rival] });
  expect(() => started.kernel.services.graphql.composeAll()).toThrow(
    'the modules catalog and rival both define the type Item',
  );
});

test('two rings with different versions of a module have different schemas at the same time', async () => {
  const next = {
    ...catalog,
    manifest: { ...catalog.manifest, version: '2.0.0' },
    graphql: { sdl: ['extend type Item { grams: Int }'], resolvers: [{ Item: { grams: () => 5 } }] },
  };
  const edge = await startPlatform({
    sharedWith: platform,
    modules: [...(await repositoryModules('graphql', 'administration')), next],
    environment: { RING_NAME: 'edge', GRAPHQL_INTROSPECTION: 'false' },
  });
  const shop = await edge.tenant();
  await kernel.central.db.run(sql`
    WITH edge AS (
      INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment)
      VALUES ('edge', 'Edge', '', '', '', 'edge') RETURNING id)
    UPDATE tenants SET module_ring_id = (SELECT id FROM edge) WHERE id = ${shop.id}`);
  for (const { alias } of edge.kernel.modules) await edge.kernel.installations.set(shop.id, alias, 'enabled');
  await edge.kernel.signals.waitUntilApplied();
  const { token, caller: user } = edge.identity.mint();
  edge.identity.join(user, shop.id, everything);
  const onEdge = async (query: string) => {
    const headers = { authorization: `Bearer ${token}`, 'x-tenant': shop.id };
    return edge.request({ method: 'POST', url: '/api/v1/graphql', payload: { query }, headers });
  };
  const [withMaker, withGrams] = ['maker { name }', 'grams'].map(
    (field) => `{ item(id: "${makeId(0, 1)}") { ${field} } }`,
  );
  for (let use = 0; use < 4; use++) {
    expect((await ask(withMaker as string)).data.item).toEqual({ maker: { name: 'Maker 1' } });
    expect(listCodes(await ask(withGrams as string))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    const answer = await onEdge(withGrams as string);
    expect({ ring: answer.headers['x-ring'], data: answer.body.data }).toEqual({
      ring: 'edge',
      data: { item: { grams: 5 } },
    });
    expect(listCodes((await onEdge(withMaker as string)).body)).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  }
  const set = vi.spyOn(edge.kernel.cache, 'set');
  const ctx = { tenant: { id: shop.id } } as never;
  expect(await edge.kernel.services.graphql.sdl(ctx)).toContain('grams: Int');
  expect(set).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(/^graphql:schema:edge:/),
    expect.anything(),
    86_400,
  );
  expect(await kernel.services.graphql.sdl(ctx)).not.toContain('grams: Int');
});
