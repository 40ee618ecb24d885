import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { chowkd } from './chowkd.ts';
import { type RingName, ringVersions, writeRingPackages } from './ring-packages.ts';
import { onSeparateConnection } from './scratch-database.ts';

const repository = resolve(import.meta.dirname, '../..');

/** Three rings with three versions of a module behind a front, each with a tenant of its own: real processes. */
export interface RingPlatform {
  readonly port: number;
  /** What the processes have printed. */
  readonly output: () => string;
  readonly environment: Record<string, string>;
  /** The tenants, by ring. */
  readonly tenants: Readonly<Record<RingName, string>>;
  /** The lock files, by ring. */
  readonly locks: Readonly<Record<RingName, string>>;
  /** Those of the user who is a member of all tenants. */
  headers(tenant: string): Record<string, string>;
  get(tenant: string, path: string): Promise<RingResponse>;
  post(tenant: string, path: string, body: object): Promise<RingResponse>;
  assign(tenant: string, ring: RingName): Promise<void>;
  /** Locks a table of a tenant. `isAwaited` throws unless a request waits for it. */
  lockTable(tenant: string, table: string): Promise<{ isAwaited(): Promise<void>; release(): Promise<void> }>;
  /** Rows of the tenant's database. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read rows of every shape
  query(tenant: string, text: string): Promise<any[]>;
  ringPid(ring: RingName): Promise<number | undefined>;
}

export interface RingResponse {
  readonly status: number;
  readonly ring: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
  readonly body: any;
}

const credentials = { email: 'asha@example.com', password: 'correct horse battery' };

async function run(args: readonly string[], environment: Record<string, string>): Promise<string> {
  const { code, out, err } = await chowkd(args, environment);
  if (code !== 0) throw new Error(`chowkd ${args[0]}: ${err}`);
  return out;
}

interface RingOptions {
  /** Further variables of the environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The permissions of the user in each tenant. */
  readonly permissions?: readonly string[];
  /** Started as the README says. The parent of the rings' processes is npm then, so `ringPid` finds none. */
  readonly withNpm?: boolean;
}

export async function startRings({
  variables = {},
  permissions = ['probe.use', 'graphql.schema.view'],
  withNpm = false,
}: RingOptions = {}): Promise<RingPlatform> {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-rings-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const locks = await writeRingPackages(folder);
  const { host, port: databasePort, user, password } = inject('server');
  const central = `central_${randomBytes(6).toString('hex')}`;
  const suffix = central.slice(-6);
  // All test files share one server.
  const tenants = { stable: `acme-${suffix}`, edge: `bold-${suffix}`, canary: `cato-${suffix}` };
  afterAll(() => dropDatabases([...Object.values(tenants).map((id) => `tenant${id}`), central]));
  const environment = {
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${databasePort}/${central}`,
    STORAGE_PATH: join(folder, 'storage'),
    MODULES_PATH: join(folder, 'modules'),
    DATABASE_COPY_STRATEGY: 'file_copy',
    DATABASE_CONNECTIONS: '30',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'warn',
    ...variables,
    // The tenants are created with the migrations of all versions.
    MODULE_LOCK_PATH: locks.canary,
  };
  const owner = ['--organization=Acme', `--slug=${tenants.stable}`, `--email=${credentials.email}`];
  await run(['install', ...owner, `--password=${credentials.password}`], environment);
  for (const id of [tenants.edge, tenants.canary]) await run(['tenant:create', id], environment);
  const open = async (database: string) => {
    const client = new pg.Client({ host, port: databasePort, user, password, database });
    await client.connect();
    client.on('error', () => {});
    afterAll(() => client.end());
    return client;
  };
  const db = await open(central);
  await db.query(`UPDATE module_rings SET manifest_path = '${locks.stable}' WHERE name = 'stable'`);
  for (const [index, ring] of (['edge', 'canary'] as const).entries()) {
    await db.query(
      `INSERT INTO module_rings (name, display_name, manifest_path, k8s_namespace, k8s_service, hostname_segment, promotion_order)
       VALUES ($1, $1, $2, '', '', $1, $3)`,
      [ring, locks[ring], index + 1],
    );
  }
  const assign = async (tenant: string, ring: RingName) =>
    void (await db.query(
      'UPDATE tenants SET module_ring_id = (SELECT id FROM module_rings WHERE name = $2) WHERE id = $1',
      [tenant, ring],
    ));
  for (const [ring, tenant] of Object.entries(tenants)) {
    await assign(tenant, ring as RingName);
    await db.query(
      `INSERT INTO memberships (user_id, tenant_id, permissions)
       SELECT id, $1, $2::text[] FROM users
       ON CONFLICT (user_id, tenant_id) DO UPDATE SET permissions = excluded.permissions, role_id = NULL`,
      [tenant, permissions],
    );
  }
  const { MODULE_LOCK_PATH, ...shared } = environment;
  const { front, output, port } = await startFront(shared, withNpm);
  const url = `http://127.0.0.1:${port}`;
  const login = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  const { access_token } = (await login.json()) as { access_token: string };
  const headers = (tenant: string) => ({ authorization: `Bearer ${access_token}`, 'x-tenant': tenant });
  const send = async (tenant: string, path: string, body?: object): Promise<RingResponse> => {
    const response = await fetch(`${url}${path}`, {
      headers: { ...headers(tenant), ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return {
      status: response.status,
      ring: response.headers.get('x-ring'),
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
  const clients = new Map<string, Promise<pg.Client>>();
  return {
    port,
    output,
    environment: shared,
    tenants,
    locks,
    headers,
    get: (tenant, path) => send(tenant, path),
    post: send,
    assign,
    async lockTable(tenant, table) {
      const client = await open(`tenant${tenant}`);
      await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      return {
        async isAwaited() {
          const { rows } = await client.query('SELECT FROM pg_locks WHERE relation = $1::regclass AND NOT granted', [
            table,
          ]);
          if (rows.length === 0) throw new Error(`nobody waits for ${table}`);
        },
        release: async () => void (await client.query('COMMIT')),
      };
    },
    async query(tenant, text) {
      const client = clients.get(tenant) ?? open(`tenant${tenant}`);
      clients.set(tenant, client);
      return (await (await client).query(text)).rows;
    },
    ringPid: (ring) => findRingPid(front.pid ?? 0, ring),
  };
}

async function dropDatabases(names: readonly string[]): Promise<void> {
  await onSeparateConnection('postgres', async (connection) => {
    for (const name of names) await connection.script(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  });
}

async function startFront(environment: Record<string, string>, withNpm: boolean) {
  const { PATH = '', HOME = '' } = process.env;
  const args = ['--no-build', `--rings=${Object.keys(ringVersions).join(',')}`];
  const command: [string, string[]] = withNpm
    ? ['npm', ['start', '--', ...args]]
    : [join(repository, 'chowkd'), ['serve', ...args]];
  const front = spawn(...command, {
    cwd: repository,
    env: { PATH, HOME, APP_ENV: 'testing', PORT: '0', SPARE_DATABASES: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [front.stdout, front.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const exited = once(front, 'exit');
  afterAll(async () => {
    front.kill('SIGTERM');
    await exited;
  });
  for (;;) {
    const port = /ready at http:\/\/[^:]+:(\d+)/.exec(output)?.[1];
    if (port) return { front, output: () => output, port: Number(port) };
    const ended = await Promise.race([once(front.stdout, 'data').then(() => false), exited.then(() => true)]);
    if (ended) throw new Error(`chowkd serve --rings exited: ${output}`);
  }
}

/** The newest process of the ring below the front. */
async function findRingPid(parent: number, ring: string): Promise<number | undefined> {
  const found: { readonly pid: number; readonly startedAt: number }[] = [];
  for (const pid of await readdir('/proc')) {
    const stat = /^\d+$/.test(pid) ? await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '') : '';
    // The fields after the name, as in proc_pid_stat(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(fields[1]) !== parent) continue;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (environment.split('\0').includes(`RING_NAME=${ring}`)) {
      found.push({ pid: Number(pid), startedAt: Number(fields[19]) });
    }
  }
  return found.sort((one, other) => other.startedAt - one.startedAt)[0]?.pid;
}
