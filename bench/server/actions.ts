import { type Actions, action, Default, Failure, type Static, sql, Timestamp, Type } from '@chowk/kit/kernel';
import type { Kernel } from '../../server/src/kernel.ts';
import { moveTenant } from '../../server/src/tenancy/move-tenant.ts';
import { createTenant } from '../../server/src/tenancy/tenants.ts';
import { measureFleet } from './fleet.ts';

export const benchPermission = 'bench.view';

const restricted = { tag: 'Bench', needs: benchPermission, audited: false } as const;
const open = { tag: 'Bench', public: true, audited: false } as const;

const Item = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  email: Type.String(),
  phone: Type.String(),
  city: Type.String(),
  orders: Type.Integer(),
  spent: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
type Item = Static<typeof Item>;

const columns = sql`id, name, email, phone, city, orders, spent, created_at, updated_at`;

/** The actions whose requests are measured. */
export const measuredActions: Actions = {
  'bench.nothing': action({
    ...restricted,
    http: 'GET /bench/nothing',
    summary: 'Run the pipeline without a query',
    output: Type.Object({ ok: Type.Boolean() }),
    run: async () => ({ ok: true }),
  }),
  'bench.getItem': action({
    ...restricted,
    http: 'GET /bench/items/:id',
    summary: 'Get an item',
    input: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
    output: Item,
    answer: { key: 'data' },
    run: async ({ db }, { id }) => {
      const item = await db.row<Item>(sql`SELECT ${columns} FROM bench_items WHERE id = ${id}`);
      if (!item) throw new Failure('bench.not_found', 404, 'Item not found.');
      return item;
    },
  }),
  'bench.listItems': action({
    ...restricted,
    http: 'GET /bench/items',
    summary: 'List the latest items',
    input: Type.Object({ per_page: Default(Type.Integer({ minimum: 1, maximum: 100 }), 20) }),
    output: Type.Array(Item),
    answer: { key: 'data' },
    run: ({ db }, { per_page }) =>
      db.rows<Item>(sql`SELECT ${columns} FROM bench_items ORDER BY created_at DESC, id DESC LIMIT ${per_page}`),
  }),
  'bench.database': action({
    ...restricted,
    http: 'GET /bench/database',
    summary: 'Read one table and return the name of the database',
    output: Type.Object({ database: Type.String(), keys: Type.Integer() }),
    run: async ({ db }) => {
      const query = sql`SELECT current_database()::text AS database, count(*) AS keys FROM idempotency_keys`;
      return (await db.row<{ database: string; keys: number }>(query)) ?? { database: '', keys: 0 };
    },
  }),
  'bench.tenant': action({
    ...open,
    http: 'GET /bench/tenant',
    summary: 'Return the tenant of the request',
    output: Type.Object({ id: Type.String() }),
    run: async ({ tenant }) => ({ id: tenant.id }),
  }),
};

/** The actions that prepare a measurement. `kernel` is called when a request arrives, after the boot. */
export function setupActions(kernel: () => Kernel, addMember: (tenantId: string) => Promise<void>): Actions {
  return {
    'bench.createItems': action({
      ...restricted,
      http: 'POST /bench/items',
      summary: 'Create the items of a tenant',
      input: Type.Object({ rows: Type.Integer() }),
      run: async ({ db }, { rows }) => {
        await db.run(sql`
          CREATE TABLE bench_items (id bigint PRIMARY KEY, name text NOT NULL, email text NOT NULL, phone text NOT NULL,
            city text NOT NULL, orders integer NOT NULL, spent numeric(12, 2) NOT NULL, created_at timestamptz NOT NULL,
            updated_at timestamptz NOT NULL)`);
        await db.run(sql`
          INSERT INTO bench_items
          SELECT n, 'Customer ' || n, 'customer' || n || '@example.com', '+9198' || lpad(n::text, 8, '0'), 'Pune', n % 40,
            n * 1.25, now() - n * interval '1 minute', now() FROM generate_series(1, ${rows}::int) n`);
        await db.run(sql`CREATE INDEX ON bench_items (created_at DESC, id DESC)`);
        await db.run(sql`ANALYZE bench_items`);
        return {};
      },
    }),
    'bench.createTenant': action({
      ...open,
      http: 'POST /bench/tenants',
      summary: 'Create a tenant, measure it, and respond when the spare databases are refilled',
      tenant: 'none',
      input: Type.Object({ id: Type.String() }),
      run: async (_ctx, { id }) => {
        const { central, databases } = kernel();
        const startedAt = performance.now();
        const { database } = await createTenant(central.db, databases, { id, name: id });
        const ms = performance.now() - startedAt;
        await databases.waitForRefill();
        await addMember(id);
        return { ms, database };
      },
    }),
    'bench.moveTenant': action({
      ...open,
      http: 'POST /bench/moves',
      summary: 'Move a tenant to another database server',
      tenant: 'none',
      input: Type.Object({ id: Type.String(), to: Type.String(), isOffline: Type.Boolean() }),
      run: async (_ctx, { id, ...options }) => {
        const { central, databases } = kernel();
        return { ...(await moveTenant(central, databases, id, options)) };
      },
    }),
    'bench.fleet': action({
      ...open,
      http: 'POST /bench/fleet',
      summary: 'Measure queries of the central database with many tenants',
      tenant: 'none',
      input: Type.Object({ tenants: Type.Integer() }),
      run: (_ctx, { tenants }) => measureFleet(kernel(), tenants),
    }),
    'bench.memory': action({
      ...open,
      http: 'GET /bench/memory',
      summary: 'Collect garbage and return the memory usage of the process',
      tenant: 'none',
      run: async () => {
        for (let times = 0; times < 3; times += 1) globalThis.gc?.();
        return { ...process.memoryUsage(), known: kernel().directory.size };
      },
    }),
  };
}
