import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { type Actions, action, Default, Failure, type Log, type Static, sql, Timestamp, Type } from '@chowk/kit';
import { accountsOf } from '../../modules/identity/accounts/accounts.ts';
import { seedRoles } from '../../modules/identity/accounts/seed.ts';
import { createUser } from '../../modules/identity/accounts/users.ts';
import { boot } from '../src/boot.ts';
import { readConfig } from '../src/config.ts';
import { openEmbedded } from '../src/db/embedded/embedded-server.ts';
import { openServer } from '../src/db/server.ts';
import { createHttpServer } from '../src/http/server.ts';
import type { Kernel } from '../src/kernel.ts';
import { loadModules } from '../src/loader/load-modules.ts';
import { createTenant, listTenants } from '../src/tenancy/tenants.ts';
import { benchModules } from './bench-modules.ts';
import { silent } from './silent-log.ts';
import { testSecrets } from './test-config.ts';

/*
 * A platform for the bench to measure: the kernel as it is in production, with actions and a caller of the bench's own.
 * It tells in one line of JSON how to reach it, and it ends when its standard input does: a bench that is killed leaves
 * nothing running.
 */

const common = { tag: 'Bench', needs: 'bench.view', audited: false } as const;
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

/** What a request through the whole pipeline is measured with. */
const measuredActions: Actions = {
  'bench.nothing': action({
    ...common,
    http: 'GET /bench/nothing',
    summary: 'The pipeline alone: no query',
    output: Type.Object({ ok: Type.Boolean() }),
    run: async () => ({ ok: true }),
  }),
  'bench.getItem': action({
    ...common,
    http: 'GET /bench/items/:id',
    summary: 'Get one row by its id',
    input: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
    output: Item,
    answer: { key: 'data' },
    run: async ({ db }, { id }) => {
      const item = await db.row<Item>(sql`SELECT ${columns} FROM bench_items WHERE id = ${id}`);
      if (!item) throw new Failure('bench.not_found', 404, 'There is no such item.');
      return item;
    },
  }),
  'bench.listItems': action({
    ...common,
    http: 'GET /bench/items',
    summary: 'List the latest rows',
    input: Type.Object({ per_page: Default(Type.Integer({ minimum: 1, maximum: 100 }), 20) }),
    output: Type.Array(Item),
    answer: { key: 'data' },
    run: ({ db }, { per_page }) =>
      db.rows<Item>(sql`SELECT ${columns} FROM bench_items ORDER BY created_at DESC, id DESC LIMIT ${per_page}`),
  }),
  'bench.database': action({
    ...common,
    http: 'GET /bench/database',
    summary: 'Tell which database answers, with a look into one of its tables',
    output: Type.Object({ database: Type.String(), keys: Type.Integer() }),
    run: async ({ db }) => {
      const query = sql`SELECT current_database()::text AS database, count(*) AS keys FROM idempotency_keys`;
      return (await db.row<{ database: string; keys: number }>(query)) ?? { database: '', keys: 0 };
    },
  }),
  'bench.tenant': action({
    ...open,
    http: 'GET /bench/tenant',
    summary: 'Tell which tenant the request is bound to; asks for no caller',
    output: Type.Object({ id: Type.String() }),
    run: async ({ tenant }) => ({ id: tenant.id }),
  }),
};

let kernel: Kernel;
let userId = 0;

/** The bench's user, with a password to sign in with, and a token as a sign-in gives it. */
async function signIn(email: string, secret: string): Promise<string> {
  const { keys, passwords, sessions } = accountsOf(kernel.services);
  const { db } = kernel.central;
  await seedRoles(db, kernel.services.permissions);
  await kernel.services.seed(db);
  await keys.ensure();
  const passwordHash = await passwords.hash(secret);
  const made = await createUser(db, { name: 'Bench', email, passwordHash, emailVerified: true });
  userId = made ?? (await db.row<{ id: number }>(sql`SELECT id FROM users WHERE email = ${email}`))?.id ?? 0;
  const client = { address: '127.0.0.1', network: '127.0.0.1', userAgent: 'bench' };
  return (await sessions.open({ userId, kind: 'login', client })).access_token;
}

/** With every permission. */
async function join(tenantId: string): Promise<void> {
  const permissions = ['bench.view', ...kernel.services.permissions.map(({ name }) => name)];
  await kernel.central.db.run(sql`
    INSERT INTO memberships (user_id, tenant_id, permissions) VALUES (${userId}, ${tenantId}, ${permissions}::text[])
    ON CONFLICT DO NOTHING`);
}

/** What the bench prepares its measurements with. */
const preparingActions: Actions = {
  'bench.createItems': action({
    ...common,
    http: 'POST /bench/items',
    summary: 'Make the table of items in the tenant',
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
    summary: 'Make a tenant, tell how long that took, and answer once spares are ready again',
    tenant: 'none',
    input: Type.Object({ id: Type.String() }),
    run: async (_ctx, { id }) => {
      const began = performance.now();
      const { database } = await createTenant(kernel.central.db, kernel.databases, { id, name: id });
      const ms = performance.now() - began;
      await kernel.databases.waitForRefill();
      await join(id);
      return { ms, database };
    },
  }),
  'bench.memory': action({
    ...open,
    http: 'GET /bench/memory',
    summary: 'Tell what this process holds after collecting its garbage',
    tenant: 'none',
    run: async () => {
      for (let times = 0; times < 3; times += 1) globalThis.gc?.();
      return { ...process.memoryUsage(), known: kernel.directory.size };
    },
  }),
};

const { values } = parseArgs({ options: { unsafe: { type: 'boolean', default: false } } });
const config = readConfig(process.env);
const { storagePath } = config;
const onProgress = () => {};
const unsafe = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', wal_compression: 'off' };
// Whoever opens the embedded server first decides its settings; `openServer` then joins it.
const opened = values.unsafe ? await openEmbedded({ storagePath, onProgress, settings: unsafe }) : undefined;
const server = await openServer(config, onProgress);
const complain = (_details: object, message: string) => void process.stderr.write(`${message}\n`);
const log: Log = { ...silent, warn: complain, error: complain };
const modules = [...(await loadModules(config)), ...benchModules];
kernel = await boot(
  { config, log, server, secrets: testSecrets },
  { modules, actions: { ...measuredActions, ...preparingActions } },
);
const credentials = { email: 'bench@example.com', password: randomUUID() };
const token = await signIn(credentials.email, credentials.password);
for (const { id } of await listTenants(kernel.central.db)) await join(id);
const app = await createHttpServer(kernel);
await app.listen({ host: '127.0.0.1', port: 0 });
await kernel.jobs.work();
kernel.events.startSweeping((id) => kernel.directory.find(id));

const { host, port, user, password } = server.address;
const address = { host, port, user, password };
const [listening] = app.addresses() as AddressInfo[];
const facts = {
  pid: process.pid,
  port: listening?.port,
  token,
  credentials,
  database: address,
  central: server.centralDatabase,
};
process.stdout.write(`${JSON.stringify(facts)}\n`);

await new Promise((resolve) => {
  process.stdin.resume().once('end', resolve).once('error', resolve);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
});
await app.close();
await kernel.close();
await server.close();
await opened?.close();
process.exit();
