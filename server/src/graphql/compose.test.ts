import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { action, type Resolvers } from '@chowk/kit/kernel';
import { graphql as run } from 'graphql';
import { expect, onTestFinished, test } from 'vitest';
import { testModule } from '../../testing/test-module.ts';
import { registerActions } from '../actions/registry.ts';
import { readGraphqlFiles } from '../loader/graphql-files.ts';
import { readModuleSchema } from './module-schema.ts';
import { buildTenantSchema, printSdl } from './tenant-schema.ts';

/* How the parts of modules become one schema. */

interface PartOptions {
  readonly alias: string;
  readonly sdl?: string | readonly string[];
  readonly resolvers?: readonly Resolvers[];
  readonly actions?: Parameters<typeof registerActions>[0];
  readonly autoResolve?: boolean;
}

function part({ alias, sdl = [], resolvers = [], actions = {}, autoResolve = true }: PartOptions) {
  const { manifest } = testModule({ alias });
  const registered = registerActions(actions, { module: alias, tag: alias });
  const graphql = { sdl: [sdl].flat(), resolvers };
  return readModuleSchema(
    { alias, graphql, manifest: { ...manifest, graphql: { auto_resolve: autoResolve } } },
    registered,
  );
}

const compose = (...parts: PartOptions[]) => buildTenantSchema(parts.map(part));
const sdl = (...parts: PartOptions[]) => printSdl(compose(...parts));
const onBus = { summary: 'Do it', needs: 'x.view', bus: { rateLimit: 10 }, run: async () => ({}) } as const;

test('every bus operation becomes a field with an underscore, JSON in and out, and its description', () => {
  const text = sdl({
    alias: 'orders',
    actions: {
      'orders.get': action({ ...onBus, summary: 'Get an order', description: 'By its "id".' }),
      'orders.updateStatus': action({ ...onBus, summary: 'Change the status' }),
    },
  });
  expect(text).toContain('"""Get an order. By its "id"."""\n  orders_get(input: JSON): JSON');
  expect(text).toContain('type Mutation {\n  """Change the status."""\n  orders_updateStatus(input: JSON): JSON\n}');
});

test.each([
  ...['get', 'list', 'find', 'search', 'count', 'show', 'fetch', 'getByNumber', 'listing'].map((verb) => [
    verb,
    'Query',
  ]),
  ...['create', 'update', 'delete', 'forget', 'relist', 'recount', 'Get'].map((verb) => [verb, 'Mutation']),
])('an operation that begins with %s is on %s', (verb, root) => {
  const { schema } = compose({ alias: 'orders', actions: { [`orders.${verb}`]: action(onBus) } });
  const [type] = [schema.getQueryType(), schema.getMutationType()].filter((one) => one?.getFields()[`orders_${verb}`]);
  expect(type?.name).toBe(root);
});

test('a module with a hyphen in its name has fields with an underscore', () => {
  expect(sdl({ alias: 'gift-cards', actions: { 'gift-cards.get': action(onBus) } })).toContain('gift_cards_get(');
});

test('actions and modules can opt out of derived fields', () => {
  const hidden = action({ ...onBus, graphql: false });
  const shown = action({ ...onBus, graphql: 'ordersOfToday', http: 'GET /orders' });
  const actions = {
    'orders.get': hidden,
    'orders.list': shown,
    'orders.internal': action({ ...onBus, bus: undefined }),
  };
  const text = sdl({ alias: 'orders', actions });
  expect(text).toContain('orders_list(input: JSON): JSON');
  expect(text).toContain('ordersOfToday: Boolean');
  expect(text).not.toContain('orders_get');
  expect(text).not.toContain('orders_internal');
  const withoutJson = sdl({ alias: 'orders', actions, autoResolve: false });
  expect(withoutJson).not.toContain('orders_list');
  expect(withoutJson).toContain('ordersOfToday');
});

test('the schema file takes precedence over providers, and both over derived fields', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-module-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'graphql'));
  await writeFile(
    join(folder, 'graphql/schema.graphql'),
    `type Query { "From the file." orders_get(input: JSON): JSON, fromFile: String }`,
  );
  await writeFile(
    join(folder, 'graphql/resolvers.ts'),
    `export const resolvers = { Query: { orders_get: () => 'file', fromFile: () => 'file' } };`,
  );
  await writeFile(
    join(folder, 'graphql/providers.ts'),
    `export class Reports {
      sdl() { return ['type Query { "From the provider." orders_get: Int, orders_count: String, more: String }', 'type Extra { id: ID }']; }
      resolvers() { return [{ Query: { orders_get: () => 1, orders_count: () => 'provider' } }, { Query: { more: () => 'provider' } }]; }
      moduleAlias() { return 'orders'; }
    }`,
  );
  const manifest = { ...testModule({ alias: 'orders' }).manifest, graphql: { providers: ['Reports'] } };
  const derived = { 'orders.get': action(onBus), 'orders.count': action(onBus), 'orders.list': action(onBus) };
  const graphql = await readGraphqlFiles(folder, manifest);
  const own = readModuleSchema(
    { alias: 'orders', manifest, graphql },
    registerActions(derived, { module: 'orders', tag: '' }),
  );
  const { schema } = buildTenantSchema([own]);
  const fields = schema.getQueryType()?.getFields();
  expect(fields?.orders_get?.description).toBe('From the file.');
  expect(Object.keys(fields ?? {})).toEqual([
    'tenant',
    'orders_get',
    'fromFile',
    'orders_count',
    'more',
    'orders_list',
  ]);
  const contextValue = { contextFor: () => ({}) };
  const { data } = await run({ schema, source: '{ orders_get orders_count more fromFile }', contextValue });
  expect(data).toEqual({ orders_get: 'file', orders_count: 'provider', more: 'provider', fromFile: 'file' });
});

test('a provider of another module, a missing file and a wrong class are errors that name the file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-module-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const manifest = { ...testModule({ alias: 'orders' }).manifest, graphql: { providers: ['Reports'] } };
  await expect(readGraphqlFiles(folder, manifest)).rejects.toThrow('there is no');
  await mkdir(join(folder, 'graphql'));
  await writeFile(join(folder, 'graphql/schema.graphql'), 'type A { id: ID }');
  await expect(readGraphqlFiles(folder, manifest)).rejects.toThrow('needs a resolvers.ts in the same folder');
  await writeFile(join(folder, 'graphql/resolvers.ts'), 'export const resolvers = {};');
  await writeFile(
    join(folder, 'graphql/providers.ts'),
    `export class Reports { sdl() { return []; } resolvers() { return []; } moduleAlias() { return 'customers'; } }`,
  );
  await expect(readGraphqlFiles(folder, manifest)).rejects.toThrow('moduleAlias() of Reports is customers');
  const wrong = { ...manifest, graphql: { providers: ['Other'] } };
  await expect(readGraphqlFiles(folder, wrong)).rejects.toThrow('does not export Other');
});

test('two modules that define the same type or field are named, with the type or the field', () => {
  const both = (first: string, second: string) => () =>
    compose({ alias: 'a', sdl: first }, { alias: 'b', sdl: second });
  const message = (subject: string) => `the modules a and b both define ${subject} in GraphQL; rename one of them`;
  expect(both('type T { id: ID }', 'type T { name: ID }')).toThrow(message('the type T'));
  expect(both('type T { id: ID }', 'input T { name: ID }')).toThrow(message('the type T'));
  expect(both('enum T { x }', 'type T { id: ID }')).toThrow(message('the type T'));
  expect(both('enum T { x }', 'enum T { x }')).toThrow(message('the type T'));
  expect(both('interface T { id: ID }', 'union T = U')).toThrow(message('the type T'));
  expect(both('scalar T', 'scalar T')).toThrow(message('the type T'));
  expect(both('directive @t on FIELD_DEFINITION', 'directive @t on FIELD_DEFINITION')).toThrow(message('the type t'));
  expect(both('type Query { now: ID }', 'extend type Query { now: ID }')).toThrow(message('the field Query.now'));
  expect(both('type Mutation { go: ID }', 'type Mutation { go: ID }')).toThrow(message('the field Mutation.go'));
  expect(both('type T { id: ID }', 'extend type T { id: ID }')).toThrow(message('the field T.id'));
  expect(() => compose({ alias: 'a', sdl: 'type Tenant { id: ID }' })).toThrow('the modules kernel and a both define');
  const derived = { 'a.get': action({ ...onBus, graphql: 'now', http: 'GET /a' }) };
  expect(() => compose({ alias: 'a', actions: derived }, { alias: 'b', sdl: 'type Query { now: ID }' })).toThrow(
    message('the field Query.now'),
  );
});

test('SDL that is not valid is an error that names the module', () => {
  expect(() => compose({ alias: 'a', sdl: 'type T {\n  id: \n}' })).toThrow(/module a .*line 3/);
  expect(() => compose({ alias: 'a', sdl: 'schema { query: Query }' })).toThrow('module a');
  expect(() => compose({ alias: 'a', sdl: 'query { a }' })).toThrow('module a');
});

test('a resolver for a field that the module does not define is an error that names both', () => {
  const resolvers = (type: string, field: string) => [{ [type]: { [field]: () => null } }];
  const message = (path: string) => `the module a has a GraphQL resolver for ${path}, which is not in its schema`;
  const attempt = (type: string, field: string) => () =>
    compose({ alias: 'a', sdl: 'type T { name: ID } type Query { t: T }', resolvers: resolvers(type, field) });
  expect(attempt('T', 'other')).toThrow(message('T.other'));
  expect(attempt('Query', 'other')).toThrow(message('Query.other'));
  expect(attempt('Other', 'id')).toThrow(message('Other.id'));
  expect(attempt('T', 'name')).not.toThrow();
});

test('without a module, its types disappear with all that others add to them or make of them', () => {
  const catalog: PartOptions = {
    alias: 'catalog',
    sdl: `type Item { id: ID, color: Color } enum Color { red } input ItemFilter { color: Color } interface Named { name: ID }
      union Found = Item type Query { item: Item }`,
  };
  const shop: PartOptions = {
    alias: 'shop',
    sdl: `type Shop implements Named { name: ID, best: Item }
      extend type Item { shops: [Shop!]! }
      type Sale { item: Item! }
      union Thing = Item | Shop
      union OnlyItems = Item
      input ShopFilter { name: ID, color: Color, items: [ItemFilter!] }
      input OnlyColor { color: Color! }
      type Query { shop: Shop, shops(filter: ShopFilter): [Shop!], sale: Sale, things: [Thing], only: OnlyItems,
        colored(filter: OnlyColor): Shop, byColor(color: Color): Shop }`,
    resolvers: [{ Item: { shops: () => [] } }],
  };
  const all = sdl(catalog, shop);
  for (const name of ['best: Item', 'shops: [Shop!]!', 'Sale', 'OnlyItems', 'OnlyColor']) expect(all).toContain(name);
  const { schema, omitted } = compose(shop);
  expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(['tenant', 'shop', 'shops', 'things']);
  const text = printSdl({ schema } as never);
  expect(text).toContain('type Shop {\n  name: ID\n}');
  expect(text).toContain('union Thing = Shop\n');
  expect(text).toContain('input ShopFilter {\n  name: ID\n}');
  for (const name of ['Item', 'Color', 'Sale', 'Named']) expect(text).not.toMatch(new RegExp(`\\b${name}\\b`));
  expect(omitted).toContain('the field Query.sale of the module shop, because there is no type Sale');
  expect(omitted).toContain('the field Shop.best of the module shop, because there is no type Item');
});

test('a subscription is declared on an event, not in a file', () => {
  const written = { alias: 'orders', sdl: 'type Order { id: ID } extend type Subscription { orderMoved: Order }' };
  expect(() => compose(written)).toThrow('has Subscription.orderMoved; declare it on an event instead');
});
