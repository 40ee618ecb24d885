import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { type Log, sql } from '@chowk/kit/kernel';
import { getAccounts } from '../../modules/identity/accounts/accounts.ts';
import { seedRoles } from '../../modules/identity/accounts/seed.ts';
import { createUser } from '../../modules/identity/accounts/users.ts';
import { boot } from '../../server/src/boot.ts';
import { readConfig } from '../../server/src/config/config.ts';
import { openEmbedded } from '../../server/src/db/embedded/embedded-server.ts';
import { openServer } from '../../server/src/db/server.ts';
import { createHttpServer } from '../../server/src/http/server.ts';
import type { Kernel } from '../../server/src/kernel.ts';
import { loadModules } from '../../server/src/loader/load-modules.ts';
import { SecretBox } from '../../server/src/secrets.ts';
import { startReceiver } from '../../server/src/smtp/receiver.ts';
import { openStorage, readAppKey } from '../../server/src/storage.ts';
import { listTenants } from '../../server/src/tenancy/tenants.ts';
import { benchPermission, measuredActions, setupActions } from './actions.ts';
import { benchModules } from './modules.ts';
import { ringModules } from './ring-modules.ts';

/*
 * The platform that the benchmarks measure, with their own actions, modules and user. Prints one line of JSON with its
 * address, and stops when its standard input ends, even if the benchmark is killed.
 */

const credentials = { email: 'bench@example.com', password: randomUUID() };

/** Creates the user of the benchmarks if needed and opens a session. */
async function signIn(kernel: Kernel): Promise<{ userId: number; token: string }> {
  const { keys, passwords, sessions } = getAccounts(kernel.services);
  const { db } = kernel.central;
  const { email, password } = credentials;
  await seedRoles(db, kernel.services.permissions);
  await kernel.services.seed(db);
  await keys.ensure();
  const passwordHash = await passwords.hash(password);
  const newId = await createUser(db, { name: 'Bench', email, passwordHash, emailVerified: true });
  const userId = newId ?? (await db.row<{ id: number }>(sql`SELECT id FROM users WHERE email = ${email}`))?.id ?? 0;
  const client = { address: '127.0.0.1', network: '127.0.0.1', userAgent: 'bench' };
  return { userId, token: (await sessions.open({ userId, kind: 'login', client })).access_token };
}

/** With every permission. */
async function addMember(tenantId: string): Promise<void> {
  const memberPermissions = [benchPermission, ...kernel.services.permissions.map(({ name }) => name)];
  await kernel.central.db.run(sql`
    INSERT INTO memberships (user_id, tenant_id, permissions) VALUES (${userId}, ${tenantId}, ${memberPermissions}::text[])
    ON CONFLICT DO NOTHING`);
}

const { values } = parseArgs({ options: { unsafe: { type: 'boolean', default: false } } });
const config = readConfig(process.env);
const { storagePath } = config;
const secrets = new SecretBox(await readAppKey(await openStorage(storagePath), config));
const unsafe = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', wal_compression: 'off' };
// The first process that opens the embedded server decides its settings; `openServer` joins it.
const unsafeServer = values.unsafe
  ? await openEmbedded({ storagePath, onProgress: () => {}, settings: unsafe })
  : undefined;
const server = await openServer(config, () => {});
const printMessage = (_details: object, message: string) => void process.stderr.write(`${message}\n`);
const log: Log = { debug() {}, info() {}, warn: printMessage, error: printMessage };
const modules = [...(await loadModules(config)), ...benchModules, ...ringModules(config.ringName)];
const actions = { ...measuredActions, ...setupActions(() => kernel, addMember) };
const kernel: Kernel = await boot({ config, log, server, secrets }, { modules, actions });
const { userId, token } = await signIn(kernel);
for (const { id } of await listTenants(kernel.central.db)) await addMember(id);
const app = await createHttpServer(kernel);
await app.listen({ host: '127.0.0.1', port: config.port });
if (config.inboundSmtpPort !== undefined) await startReceiver(kernel);
await kernel.work();

const { host, port, user, password } = server.address;
const [listening] = app.addresses() as AddressInfo[];
const running = {
  pid: process.pid,
  port: listening?.port,
  token,
  credentials,
  database: { host, port, user, password },
  central: server.centralDatabase,
};
process.stdout.write(`${JSON.stringify(running)}\n`);

await new Promise((resolve) => {
  process.stdin.resume().once('end', resolve).once('error', resolve);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
});
await app.close();
await kernel.close();
await server.close();
await unsafeServer?.close();
process.exit();
