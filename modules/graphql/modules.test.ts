import fc from 'fast-check';
import { validateSchema } from 'graphql';
import { expect, test, vi } from 'vitest';
import { readModuleSchema } from '../../server/src/graphql/module-schema.ts';
import { buildTenantSchema } from '../../server/src/graphql/tenant-schema.ts';
import { startPlatform } from '../../server/testing/platform.ts';

/* The schema of the modules that come with the platform. */

const platform = await startPlatform();
const { kernel } = platform;
const acme = await platform.tenant();
const merchant = acme.caller('customers.view', 'customers.create', 'orders.view', 'orders.create', 'products.view');

/** Sets in which any three modules are present and absent in every way. Each module more would double the number of all sets. */
function* moduleSets<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let first = 0; first <= items.length; first++) {
    for (let second = first; second <= items.length; second++) {
      const isChosen = (index: number) => index === first || index === second;
      yield items.filter((_, index) => isChosen(index));
      yield items.filter((_, index) => !isChosen(index));
    }
  }
}

test('any modules together have a schema', () => {
  const schemas = kernel.modules.map((module) => readModuleSchema(module, kernel.actions));
  const system = schemas.filter(({ module }) => kernel.systemModules.has(module));
  const optional = schemas.filter((part) => !system.includes(part));
  expect(optional.length).toBeGreaterThan(3);
  for (const chosen of moduleSets(optional)) {
    const { schema, omitted } = buildTenantSchema([...system, ...chosen]);
    expect(validateSchema(schema)).toEqual([]);
    expect(schema.getQueryType()?.getFields()).toHaveProperty('tenant');
    if (chosen.length === optional.length) expect(omitted).toEqual([]);
    const types = Object.keys(schema.getTypeMap()).filter((name) =>
      /^(Customer|Order|Product|Conversation|Notification|Webhook|Invoice)$/.test(name),
    );
    const unnamed = ['mailbox', 'payments', 'pricing', 'reports', 'widget'];
    const named = chosen.filter(({ module }) => !unnamed.includes(module));
    const expected = named.map(({ module }) => module[0]?.toUpperCase() + module.slice(1, -1));
    expect(types.sort()).toEqual(expected.sort());
  }
});

/** The calls of actions that a query costs: the name and the number of inputs. */
async function countCalls(query: string) {
  const spies = kernel.actions
    .filter(({ internal }) => !internal)
    .flatMap((action) => [
      { name: action.name, spy: vi.spyOn(action, 'run'), isBatch: false },
      ...(action.runBatch ? [{ name: action.name, spy: vi.spyOn(action, 'runBatch' as 'run'), isBatch: true }] : []),
    ]);
  try {
    const { body } = await merchant.post('/api/v1/graphql', { query });
    expect(body.errors).toBeUndefined();
    const calls = spies.flatMap(({ name, spy, isBatch }) =>
      spy.mock.calls.map(([, input]) => [name, isBatch ? (input as unknown[]).length : 1]),
    );
    return { data: body.data, calls: calls.filter(([name]) => name !== 'graphql.execute') };
  } finally {
    for (const { spy } of spies) spy.mockRestore();
  }
}

test('orders with their customers, and customers with their orders, cost two calls', async () => {
  for (let index = 0; index < 20; index++) {
    const customer = { first_name: `Customer ${index % 15}`, email: `c${index % 15}@example.com` };
    const items = [{ name: 'Tea', quantity: 1, price: '2.00' }];
    expect((await merchant.post('/api/v1/orders', { customer, items })).status).toBe(201);
  }
  const orders = await countCalls('{ orders(first: 20) { nodes { order_number customer { email tags } } } }');
  expect(orders.data.orders.nodes).toHaveLength(20);
  for (const { customer } of orders.data.orders.nodes)
    expect(customer).toEqual({ email: expect.any(String), tags: [] });
  expect(orders.calls).toEqual([
    ['customers.get', 15],
    ['orders.list', 1],
  ]);
  const customers = await countCalls('{ customers(first: 20) { nodes { email orders(first: 5) { nodes { id } } } } }');
  const numbers = customers.data.customers.nodes.map(({ orders: { nodes } }: never) => (nodes as unknown[]).length);
  expect(numbers.toSorted()).toEqual([...Array(10).fill(1), ...Array(5).fill(2)]);
  expect(customers.calls).toEqual([
    ['customers.list', 1],
    ['orders.list', 15],
  ]);
});

test('any selection of fields of a list has the values of all fields', async () => {
  const names = ['id', 'email', 'first_name', 'tags', 'total_spent', 'created_at', 'updated_at', '__typename'];
  const read = async (fields: string) => {
    const { body } = await merchant.post('/api/v1/graphql', { query: `{ customers(first: 5) { ${fields} } }` });
    expect(body.errors).toBeUndefined();
    return body.data.customers;
  };
  const { nodes: all } = await read(`nodes { ${names.join(' ')} }`);
  expect(all).toHaveLength(5);
  const pick = (chosen: readonly string[]) =>
    all.map((row: Record<string, unknown>) => Object.fromEntries(chosen.map((name) => [name, row[name]])));
  const subset = fc.subarray(names, { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(subset, subset, async (ofNodes, ofEdges) => {
      const { nodes, edges, pageInfo } = await read(
        `nodes { ${ofNodes.join(' ')} } edges { ... { node { ${ofEdges.join(' ')} } } } pageInfo { hasNextPage }`,
      );
      expect(nodes).toEqual(pick(ofNodes));
      expect(edges.map(({ node }: { node: unknown }) => node)).toEqual(pick(ofEdges));
      expect(pageInfo).toEqual({ hasNextPage: true });
    }),
    { numRuns: 30 },
  );
  expect(await read('pageInfo { hasNextPage }')).toEqual({ pageInfo: { hasNextPage: true } });
});
