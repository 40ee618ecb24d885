import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { Failure, type Log, type Route, route, type Static, sql, Timestamp, Type } from '@chowk/kit';
import { permissions as ownersPermissions } from '../src/auth/permissions.ts';
import { boot } from '../src/boot.ts';
import { readConfig } from '../src/config.ts';
import { openEmbedded } from '../src/db/embedded.ts';
import { openServer } from '../src/db/server.ts';
import { createHttpServer } from '../src/http/server.ts';
import type { Kernel } from '../src/kernel.ts';
import { loadModules } from '../src/loader/load-modules.ts';
import { createTenant, listTenants } from '../src/tenancy/tenants.ts';
import { benchModules } from './bench-modules.ts';
import { silent } from './silent-log.ts';
import { testSecrets } from './test-config.ts';

/*
 * A platform for the bench to measure: the kernel as it is in production, with routes and a caller of the bench's own.
 * It tells in one line of JSON how to reach it, and it ends when its standard input does: a bench that is killed leaves
 * nothing running.
 */

/** What the caller may do everywhere. */
const permissions = ['bench.view', ...ownersPermissions.map(({ name }) => name)];
const permission = 'bench.view';
const tag = 'Bench';

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
const measuredRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/bench/nothing',
    tag,
    summary: 'The pipeline alone: no query.',
    needs: permission,
    answer: Type.Object({ ok: Type.Boolean() }),
    run: async () => ({ ok: true }),
  }),
  route({
    method: 'GET',
    path: '/bench/items/:id',
    tag,
    summary: 'One row by its id.',
    needs: permission,
    params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
    answer: Type.Object({ data: Item }),
    run: async ({ db }, { params }) => {
      const item = await db.row<Item>(sql`SELECT ${columns} FROM bench_items WHERE id = ${params.id}`);
      if (!item) throw new Failure('bench.not_found', 404, 'There is no such item.');
      return { data: item };
    },
  }),
  route({
    method: 'GET',
    path: '/bench/items',
    tag,
    summary: 'The latest rows.',
    needs: permission,
    query: Type.Object({ per_page: Type.Integer({ minimum: 1, maximum: 100, default: 20 }) }),
    answer: Type.Object({ data: Type.Array(Item) }),
    run: async ({ db }, { query }) => ({
      data: await db.rows<Item>(
        sql`SELECT ${columns} FROM bench_items ORDER BY created_at DESC, id DESC LIMIT ${query.per_page}`,
      ),
    }),
  }),
  route({
    method: 'GET',
    path: '/bench/database',
    tag,
    summary: 'Which database answers, with a look into one of its tables.',
    needs: permission,
    answer: Type.Object({ database: Type.String(), keys: Type.Integer() }),
    run: async ({ db }) => {
      const query = sql`SELECT current_database()::text AS database, count(*) AS keys FROM idempotency_keys`;
      return (await db.row<{ database: string; keys: number }>(query)) ?? { database: '', keys: 0 };
    },
  }),
  route({
    method: 'GET',
    path: '/bench/tenant',
    tag,
    summary: 'Which tenant the request is bound to; asks for no caller.',
    public: true,
    answer: Type.Object({ id: Type.String() }),
    run: async ({ tenant }) => ({ id: tenant.id }),
  }),
];

let kernel: Kernel;
let userId = 0;

/** The bench's user, with a password to sign in with, and a token as a sign-in gives it. */
async function signIn(email: string, secret: string): Promise<string> {
  const { seed, keys, accounts, passwords, sessions } = kernel.platform;
  const { db } = kernel.central;
  await seed();
  await keys.ensure();
  const passwordHash = await passwords.hash(secret);
  const made = await accounts.create(db, { name: 'Bench', email, passwordHash, emailVerified: true });
  userId = made ?? (await db.row<{ id: number }>(sql`SELECT id FROM users WHERE email = ${email}`))?.id ?? 0;
  const client = { address: '127.0.0.1', userAgent: 'bench' };
  return (await sessions.open({ userId, kind: 'login', client })).access_token;
}

async function join(tenantId: string): Promise<void> {
  await kernel.central.db.run(sql`
    INSERT INTO memberships (user_id, tenant_id, permissions) VALUES (${userId}, ${tenantId}, ${permissions}::text[])
    ON CONFLICT DO NOTHING`);
}

/** What the bench prepares its measurements with. */
const preparingRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/bench/items',
    tag,
    summary: 'Makes the table of items in the tenant.',
    needs: permission,
    body: Type.Object({ rows: Type.Integer() }),
    run: async ({ db }, { body }) => {
      await db.run(sql`
        CREATE TABLE bench_items (id bigint PRIMARY KEY, name text NOT NULL, email text NOT NULL, phone text NOT NULL,
          city text NOT NULL, orders integer NOT NULL, spent numeric(12, 2) NOT NULL, created_at timestamptz NOT NULL,
          updated_at timestamptz NOT NULL)`);
      await db.run(sql`
        INSERT INTO bench_items
        SELECT n, 'Customer ' || n, 'customer' || n || '@example.com', '+9198' || lpad(n::text, 8, '0'), 'Pune', n % 40,
          n * 1.25, now() - n * interval '1 minute', now() FROM generate_series(1, ${body.rows}::int) n`);
      await db.run(sql`CREATE INDEX ON bench_items (created_at DESC, id DESC)`);
      await db.run(sql`ANALYZE bench_items`);
      return {};
    },
  }),
  route({
    method: 'POST',
    path: '/bench/tenants',
    tag,
    summary: 'Makes a tenant, tells how long that took, and answers once spares are ready again.',
    public: true,
    tenant: 'none',
    body: Type.Object({ id: Type.String() }),
    run: async (_ctx, { body: { id } }) => {
      const began = performance.now();
      const { database } = await createTenant(kernel.central.db, kernel.databases, { id, name: id });
      const ms = performance.now() - began;
      await kernel.databases.settled();
      await join(id);
      return { ms, database };
    },
  }),
  route({
    method: 'GET',
    path: '/bench/memory',
    tag,
    summary: 'What this process holds after collecting its garbage.',
    public: true,
    tenant: 'none',
    run: async () => {
      for (let times = 0; times < 3; times += 1) globalThis.gc?.();
      return { ...process.memoryUsage(), known: kernel.directory.size };
    },
  }),
];

const { values } = parseArgs({ options: { unsafe: { type: 'boolean', default: false } } });
const config = readConfig(process.env);
const { storagePath } = config;
const say = () => {};
const unsafe = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', wal_compression: 'off' };
// Whoever opens the embedded server first decides its settings; `openServer` then joins it.
const opened = values.unsafe ? await openEmbedded({ storagePath, say, settings: unsafe }) : undefined;
const server = await openServer(config, say);
const complain = (_details: object, message: string) => void process.stderr.write(`${message}\n`);
const log: Log = { ...silent, warn: complain, error: complain };
const modules = [...(await loadModules(config)), ...benchModules];
kernel = await boot(
  { config, log, server, secrets: testSecrets },
  { modules, routes: [...measuredRoutes, ...preparingRoutes] },
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
