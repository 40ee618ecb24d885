import { action, sql, Type } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { startPlatform, type TestTenant } from '../../testing/platform.ts';
import { onSeparateConnection } from '../../testing/scratch-database.ts';
import { testModule } from '../../testing/test-module.ts';

const Anything = Type.Object({}, { additionalProperties: true });
const clerk = testModule({
  alias: 'clerk',
  actions: {
    'clerk.take': action({
      summary: 'Test',
      public: true,
      bus: { rateLimit: 600 },
      input: Anything,
      run: async () => ({}),
    }),
    'clerk.pass': action({
      summary: 'Call the action over the bus',
      http: 'POST /clerk',
      needs: 'test.call',
      audited: false,
      input: Anything,
      run: (ctx, input) => ctx.bus.call('clerk.take' as never, input as never),
    }),
    'clerk.call': action({
      summary: 'Call any operation over the bus',
      http: 'POST /clerk/call',
      needs: 'test.call',
      audited: false,
      errors: ['bus.not_declared'],
      input: Type.Object({ name: Type.String() }),
      run: (ctx, { name }) => ctx.bus.call(name as never, {} as never),
    }),
  },
});
const platform = await startPlatform({ modules: [clerk] });

/** The recorded input. */
async function readStored(input: object): Promise<unknown> {
  const tenant = await platform.tenant();
  await tenant.caller('test.call').post('/api/v1/clerk', input);
  await platform.kernel.audit.flush();
  return (await tenant.db.row<{ input: unknown }>(sql`SELECT input FROM module_bus_audit_log`))?.input;
}

test('personal data is masked', async () => {
  const place = { address1: '12 MG Road', city: 'Pune', pincode: '411001' };
  const person = { id: 'c1', phone: '+919876543210', email: 'asha@example.com', first_name: 'Asha', lastName: 'Rao' };
  const order = {
    customer: person,
    shipping_address: place,
    note: 'Ring twice',
    items: [{ name: 'Tea', quantity: 2 }],
  };
  expect(await readStored(order)).toEqual({
    customer: { id: 'c1', phone: '••••', email: '••••', first_name: '••••', lastName: '••••' },
    shipping_address: '••••',
    note: '••••',
    items: [{ name: 'Tea', quantity: 2 }],
  });
  expect(await readStored({ ...person, ...place })).toEqual({
    id: 'c1',
    phone: '••••',
    email: '••••',
    first_name: '••••',
    lastName: '••••',
    address1: '••••',
    city: '••••',
    pincode: '••••',
  });
});

test('free text and search terms are masked', async () => {
  expect(await readStored({ to: '+919876543210', message: 'Dear Asha', channel: 'sms' })).toEqual({
    to: '••••',
    message: '••••',
    channel: 'sms',
  });
  expect(await readStored({ search: 'asha', status: 'pending' })).toEqual({ search: '••••', status: 'pending' });
  expect(await readStored({ q: 'asha' })).toEqual({ q: '••••' });
});

test('ids, amounts and statuses are kept', async () => {
  const input = {
    id: 'o1',
    customer_id: 'c1',
    status: 'shipped',
    sku: 'TEA-1',
    quantity: 2,
    total: '12.50',
    title: 'Green tea',
    capacity: 5,
    total_spent: '1.00',
    queue: 'x',
    tokens: undefined,
    reference: 'to and fro',
  };
  expect(await readStored(input)).toEqual(JSON.parse(JSON.stringify(input)));
});

test('an entry that PostgreSQL refuses is dropped, and the others are written', async () => {
  const tenant = await platform.tenant();
  const caller = tenant.caller('test.call');
  for (const name of ['clerk.first', 'clerk.\0', 'clerk.last']) await caller.post('/api/v1/clerk/call', { name });
  await platform.kernel.audit.flush();
  expect(await actionsIn(tenant)).toEqual(['clerk.first', 'clerk.last']);
  await caller.post('/api/v1/clerk/call', { name: 'clerk.later' });
  await platform.kernel.audit.flush();
  expect(await actionsIn(tenant)).toEqual(['clerk.first', 'clerk.last', 'clerk.later']);
});

test('while a database is not available its entries wait, in order, and those of others are written', async () => {
  const [tenant, neighbour] = [await platform.tenant(), await platform.tenant()];
  const { database } = (await tenant.db.row<{ database: string }>(sql`SELECT current_database() AS database`)) ?? {};
  const allowConnections = (isAllowed: boolean) =>
    onSeparateConnection('postgres', async (connection) => {
      await connection.script(`ALTER DATABASE "${database}" ALLOW_CONNECTIONS ${isAllowed}`);
      await connection.query(sql`
        SELECT pg_terminate_backend(pid, 10_000) FROM pg_stat_activity WHERE datname = ${database}`);
    });
  await allowConnections(false);
  for (const name of ['clerk.first', 'clerk.last']) {
    for (const { caller } of [tenant, neighbour]) await caller('test.call').post('/api/v1/clerk/call', { name });
    await platform.kernel.audit.flush();
  }
  await allowConnections(true);
  await platform.kernel.audit.flush();
  for (const each of [tenant, neighbour]) expect(await actionsIn(each)).toEqual(['clerk.first', 'clerk.last']);
});

async function actionsIn({ db }: TestTenant): Promise<string[]> {
  const rows = await db.rows<{ action: string }>(sql`SELECT action FROM module_bus_audit_log ORDER BY at, id`);
  return rows.map(({ action: name }) => name);
}
