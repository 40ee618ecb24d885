import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from '@chowk/kit/kernel';
import { expect, inject, onTestFinished, test } from 'vitest';
import { chowkd, chowkdProcess, serve, temporaryFolder } from '../testing/chowkd.ts';
import { writeLock } from '../testing/module-sources.ts';
import { uniqueId } from '../testing/platform.ts';
import { withConnection } from './db/connection.ts';

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 30_000 };

/** An external PostgreSQL with a central database that does not exist yet. */
function externalDatabase(): string {
  const { port, user, password } = inject('server');
  const name = `central_${randomBytes(5).toString('hex')}`;
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${name}`;
}

/** Two modules only, whose tables take less time to create. */
async function smallPlatform() {
  const STORAGE_PATH = await temporaryFolder();
  const MODULE_LOCK_PATH = await writeLock(STORAGE_PATH, 'identity', 'administration');
  return { STORAGE_PATH, MODULE_LOCK_PATH, DATABASE_URL: externalDatabase(), DATABASE_COPY_STRATEGY: 'file_copy' };
}

async function health(url: string) {
  const response = await fetch(`${url}/api/health`);
  return { status: response.status, body: await response.json() };
}

/** The process and all its descendants, from /proc. */
async function descendants(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const entry of await readdir('/proc')) {
    const line = /^\d+$/.test(entry) ? await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '') : '';
    const parent = /\) \S (\d+)/.exec(line)?.[1];
    if (parent) parents.set(Number(entry), Number(parent));
  }
  const below = (root: number): number[] =>
    [...parents].filter(([, parent]) => parent === root).flatMap(([child]) => [child, ...below(child)]);
  return [pid, ...below(pid)];
}

test('help lists the commands; an unknown command and wrong options are usage errors', async () => {
  // The process also reports how much memory its short-lived objects have.
  const report = `process.on('exit', () => console.error(JSON.stringify(v8.getHeapSpaceStatistics()[1])))`;
  const preload = `data:text/javascript,${encodeURIComponent(`import v8 from 'node:v8'; ${report}`)}`;
  const help = await chowkdProcess(['help'], { NODE_OPTIONS: `--import=${preload}` });
  expect(help).toMatchObject({ code: 0, err: expect.stringMatching(/^\{.*\}\n$/) });
  const memory = JSON.parse(help.err);
  expect(memory.space_name).toBe('new_space');
  expect(memory.space_size).toBeLessThanOrEqual(8 * 1_048_576);
  for (const name of ['serve', 'migrate', 'config', 'tenant:create', 'doctor', 'tenant:doctor'])
    expect(help.out).toContain(name);
  expect(await chowkd(['tenant:destroy'])).toEqual({
    code: 2,
    out: '',
    err: "chowkd: unknown command tenant:destroy; run 'chowkd help' to see all commands\n",
  });
  const usage = await chowkd(['tenant:create', '--nmae=x', 'acme']);
  expect(usage).toMatchObject({ code: 2, out: '' });
  expect(usage.err).toMatch(/^chowkd: Unknown option '--nmae'; usage: chowkd tenant:create <id> .*\n$/);
});

test('config prints the effective values with secrets masked', async () => {
  const secrets = { DATABASE_URL: 'postgres://me:hunter2hunter2@db/chowk', METRICS_TOKEN: 'hunter2hunter2' };
  const { code, out } = await chowkd(['config', '--json'], { ...secrets, PORT: '9999' });
  expect(code).toBe(0);
  expect(out).not.toContain('hunter2');
  expect(JSON.parse(out)).toContainEqual({ name: 'PORT', value: '9999', source: 'environment' });
});

test('wrong configuration is one clear line and exit code 1', async () => {
  const { code, out, err } = await chowkd(['serve'], { PORT: 'eighty', LOG_LEVEL: 'loud' });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^chowkd: .*PORT.*eighty.*LOG_LEVEL.*loud.*\n$/);
  expect(err.trim().split('\n')).toHaveLength(1);
});

test('a storage folder that cannot be written is one clear line and exit code 1', async () => {
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, '');
  const { code, err } = await chowkd(['migrate'], { STORAGE_PATH: join(file, 'storage') });
  expect(code).toBe(1);
  expect(err).toMatch(/^chowkd: STORAGE_PATH .* is not writable .*\n$/);
});

test('an unreachable DATABASE_URL is one clear line and exit code 1', async () => {
  const STORAGE_PATH = await temporaryFolder();
  const { code, err } = await chowkd(['migrate'], {
    STORAGE_PATH,
    DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/chowk',
  });
  expect(code).toBe(1);
  expect(err).toMatch(/^chowkd: DATABASE_URL 127\.0\.0\.1:1\/chowk: .*ECONNREFUSED.*\n$/);
  expect(err).not.toContain('secret');
});

test('a database user that may not create databases is a clear error', async () => {
  const role = `poor_${uniqueId()}`;
  const { port } = inject('server');
  await withConnection(inject('server'), 'postgres', limits, async (connection) => {
    await connection.script(`CREATE ROLE ${role} LOGIN PASSWORD 'poor'`);
  });
  const DATABASE_URL = `postgres://${role}:poor@127.0.0.1:${port}/postgres`;
  const { code, err } = await chowkd(['migrate'], { STORAGE_PATH: await temporaryFolder(), DATABASE_URL });
  expect(code).toBe(1);
  expect(err).toMatch(/may not create databases; grant it CREATEDB\n$/);
});

test('a busy port is one clear line and exit code 1', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as { port: number };
  const environment = { ...(await smallPlatform()), PORT: String(port) };
  const { code, err } = await chowkdProcess(['serve'], environment);
  expect(code).toBe(1);
  expect(err).toBe(`chowkd: port ${port} on 127.0.0.1 is in use; stop the other process or set PORT to another port\n`);
});

test('a plan says what a migration would do, and a version that is too old does not start', async () => {
  const environment = await smallPlatform();
  const missing = await chowkd(['migrate', '--plan'], environment);
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('does not exist') });
  expect((await chowkd(['migrate'], environment)).code).toBe(0);
  expect((await chowkd(['migrate', '--plan'], environment)).out).toBe(
    'The central database is up to date.\nThere are no tenants.\n',
  );
  expect(await chowkd(['migrate', '--batch=none'], environment)).toMatchObject({ code: 2 });
  await withConnection(inject('server'), new URL(environment.DATABASE_URL).pathname.slice(1), limits, (connection) =>
    connection.query(sql`
      INSERT INTO tenants (id, name, status, database_name, module_ring_id)
      SELECT t.id, t.id, 'active', t.id, r.id
      FROM unnest(${[uniqueId(), uniqueId(), uniqueId()]}::text[]) AS t (id), module_rings r WHERE r.is_default`),
  );
  const { out: plan } = await chowkd(['migrate', '--plan', '--batch=1', '--pause=5'], environment);
  expect(plan).toMatch(/not measured yet and 10 s of pauses\s*$/);
  const database = new URL(environment.DATABASE_URL).pathname.slice(1);
  await withConnection(inject('server'), database, limits, (connection) =>
    connection.script(`INSERT INTO platform_settings (key, value) VALUES ('minimum_version', '"99.1.0"')`),
  );
  for (const command of ['migrate', 'migrate --plan', 'tenant:list', 'serve --no-build --rings=stable']) {
    const { code, err } = await chowkd(command.split(' '), environment);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(
        /^chowkd: this is version 1\.\d+\.\d+, but the databases need at least version 99\.1\.0; .*\n$/,
      ),
    });
  }
});

test('with DATABASE_URL the central database is created, and tenants are created, listed, shown and migrated', async () => {
  const environment = await smallPlatform();
  const id = uniqueId();
  expect(await chowkd(['tenant:list'], environment)).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /^chowkd: the database central_\w+ does not exist; run 'chowkd install' or 'chowkd migrate' first\n$/,
    ),
  });
  expect((await chowkd(['migrate'], environment)).code).toBe(0);
  expect((await chowkd(['tenant:list'], environment)).out).toMatch(/^There are no tenants yet/);
  const created = await chowkdProcess(['tenant:create', id, '--name=Acme Stores', `--alias=${id}-shop`], environment);
  expect(created).toMatchObject({ code: 0, err: '' });
  expect(created.out).toContain(`${id}-shop.localhost`);
  const refused = await chowkd(['tenant:create', id], environment);
  expect(refused).toEqual({ code: 1, out: '', err: `chowkd: ${id} is taken.\n` });
  const [listed] = JSON.parse((await chowkd(['tenant:list', '--json'], environment)).out);
  expect(listed).toMatchObject({ id, name: 'Acme Stores', status: 'active' });
  expect((await chowkd(['tenant:show', `${id}-SHOP`], environment)).out).toContain(`tenant${id}`);
  expect((await chowkd(['tenant:show', 'nobody'], environment)).code).toBe(1);
  expect((await chowkd(['migrate'], environment)).out).toBe('1 done, 0 failed, 0 pending\n');
  expect((await chowkd(['tenant:doctor'], environment)).out).toBe('No problems found.\n');
  expect(JSON.parse((await chowkd(['tenant:suspend', id, '--json'], environment)).out)).toEqual([
    { id, status: 'suspended' },
  ]);
  expect(JSON.parse((await chowkd(['tenant:resume', id, '--json'], environment)).out)).toEqual([
    { id, status: 'active' },
  ]);
  expect(JSON.parse((await chowkd(['jobs:retry', '--all', '--json'], environment)).out)).toEqual([{ retried: 0 }]);
  const deleted = await chowkd(['tenant:delete', id, `--yes=${id}`, '--no-export', '--json'], environment);
  expect(JSON.parse(deleted.out)).toEqual([{ id, status: 'deleted', file: null }]);
});

test('a command that only reads or changes tenants does not migrate the central database', async () => {
  const environment = await smallPlatform();
  expect((await chowkd(['migrate'], environment)).code).toBe(0);
  const name = new URL(environment.DATABASE_URL).pathname.slice(1);
  const applied = () =>
    withConnection(inject('server'), name, limits, async (connection) => {
      const { rows } = await connection.query<{ name: string }>(
        sql`SELECT name FROM schema_migrations WHERE owner = 'kernel'`,
      );
      return rows.map((row) => row.name);
    });
  await withConnection(inject('server'), name, limits, (connection) =>
    connection.script("DROP TABLE sealing_keys; DELETE FROM schema_migrations WHERE name = '0005_sealing_keys.sql'"),
  );
  const before = await applied();
  for (const command of ['tenant:list', 'jobs:list', 'keys:rotate']) {
    expect(await chowkd([command], environment)).toEqual({
      code: 1,
      out: '',
      err: "chowkd: the central database lacks migrations of this version (kernel/0005_sealing_keys.sql, …); run 'chowkd migrate' first\n",
    });
  }
  expect(await applied()).toEqual(before);
  expect((await chowkd(['migrate'], environment)).code).toBe(0);
  expect((await chowkd(['tenant:list'], environment)).code).toBe(0);
});

test('orphaned databases are dropped only after a confirmation', async () => {
  const environment = await smallPlatform();
  const id = uniqueId();
  expect((await chowkd(['migrate'], environment)).code).toBe(0);
  expect((await chowkd(['tenant:create', id], environment)).code).toBe(0);
  await withConnection(inject('server'), new URL(environment.DATABASE_URL).pathname.slice(1), limits, (connection) =>
    connection.query(sql`DELETE FROM tenants WHERE id = ${id}`),
  );
  const exists = () =>
    withConnection(inject('server'), 'postgres', limits, async (connection) => {
      const { rows } = await connection.query(sql`SELECT FROM pg_database WHERE datname = ${`tenant${id}`}`);
      return rows.length === 1;
    });
  expect(await chowkd(['tenant:doctor', '--drop-orphans'], environment)).toEqual({
    code: 2,
    out: '',
    err: `chowkd: --drop-orphans drops tenant${id}; confirm with --yes\n`,
  });
  expect(await exists()).toBe(true);
  expect((await chowkd(['tenant:doctor', '--drop-orphans', '--yes'], environment)).code).toBe(0);
  expect(await exists()).toBe(false);
});

test('in production, a platform without MAIL_URL is reported by the doctor', async () => {
  const environment = {
    ...(await smallPlatform()),
    APP_ENV: 'production',
  };
  expect((await chowkd(['migrate'], environment)).code).toBe(0);
  expect(await chowkd(['tenant:doctor'], environment)).toMatchObject({
    code: 1,
    out: expect.stringMatching(/MAIL_URL is not set/),
  });
  const configured = { ...environment, MAIL_URL: 'smtp://127.0.0.1:1' };
  // Nothing listens at port 1.
  expect((await chowkd(['doctor'], configured)).out).toMatch(/mails cannot be sent .*ECONNREFUSED/);
  const otherKey = { ...environment, APP_KEY: randomBytes(32).toString('base64') };
  expect(await chowkd(['doctor'], otherKey)).toMatchObject({
    code: 1,
    out: expect.stringMatching(/wrong APP_KEY +this process has another key than the installation/),
  });
});

test('a further database server that does not meet the requirements is refused at the start', async () => {
  const role = `limited_${randomBytes(5).toString('hex')}`;
  const { port } = inject('server');
  await withConnection(inject('server'), 'postgres', limits, (connection) =>
    connection.script(`CREATE ROLE ${role} LOGIN PASSWORD 'short'`),
  );
  const environment = {
    ...(await smallPlatform()),
    DATABASE_SERVERS: `east=postgres://${role}:short@127.0.0.1:${port}?weight=0`,
  };
  expect(await chowkd(['work'], environment)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`chowkd: DATABASE_SERVERS east: the user ${role} may not create databases`),
  });
});

test('more connections than the server allows are refused at the start', async () => {
  const environment = {
    ...(await smallPlatform()),
    DATABASE_CONNECTIONS: '1000',
  };
  const { code, err } = await chowkd(['serve', '--no-build'], environment);
  expect(code).toBe(1);
  expect(err).toMatch(
    /^chowkd: this process may open 1002 connections to the database server main, which allows \d+; lower DATABASE_CONNECTIONS or raise max_connections of PostgreSQL\n$/,
  );
});

test('help explains one command, and a reader that stops early is no error', async () => {
  expect(await chowkd(['help', 'tenant:suspend'])).toEqual({
    code: 0,
    out: expect.stringMatching(/\nusage: chowkd tenant:suspend <id or domain> /),
    err: '',
  });
  expect(await chowkd(['help', 'keys:rotate'])).toMatchObject({ code: 0, out: expect.stringMatching(/keys:rotate/) });
  expect(await chowkd(['help', 'nothing'])).toMatchObject({ code: 2 });
  const shell = spawn('bash', ['-c', 'set -o pipefail; ./chowkd config --json | true'], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  shell.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await once(shell, 'close');
  expect({ code, err }).toEqual({ code: 0, err: '' });
});

/** 401 if the tenant exists. */
async function settingsStatus(url: string, tenant = 'acme'): Promise<{ status: number; ring: string | null }> {
  const { status, headers } = await fetch(`${url}/api/v1/settings`, { headers: { 'x-tenant': tenant } });
  return { status, ring: headers.get('x-ring') };
}

test('serve works beside other commands, refuses a second serve, and neither kill -9 of all processes nor a stop loses acknowledged data', async () => {
  const STORAGE_PATH = await temporaryFolder();
  const first = await serve({ STORAGE_PATH });
  const { url } = first;
  expect(await health(url)).toEqual({
    status: 200,
    body: {
      status: 'ok',
      ring: { name: 'stable', lock_path: 'modules/manifest.lock.json' },
      services: { database: 'up', redis: 'not_configured' },
    },
  });
  expect((await stat(join(STORAGE_PATH, 'app.key'))).mode & 0o777).toBe(0o600);

  const created = await chowkd(['tenant:create', 'acme'], { STORAGE_PATH });
  expect(created).toMatchObject({ code: 0, err: '' });
  expect(await settingsStatus(url)).toEqual({ status: 401, ring: 'stable' });

  const second = await chowkd(['serve'], { STORAGE_PATH });
  expect(second.code).toBe(1);
  expect(second.err).toBe(`chowkd: another chowkd already serves the storage folder ${STORAGE_PATH}; stop it first\n`);
  expect((await health(url)).status).toBe(200);

  // A command in another storage folder starts no second database and names the running one.
  const empty = join(await temporaryFolder(), 'storage');
  const { code, err } = await chowkd(['tenant:list'], { STORAGE_PATH: empty });
  expect(code).toBe(1);
  expect(err).toMatch(
    `chowkd: there is no database in STORAGE_PATH ${empty}; set STORAGE_PATH to that of the running platform (`,
  );
  if (process.platform === 'linux') expect(err).toContain(STORAGE_PATH);
  await expect(stat(empty)).rejects.toThrow('ENOENT');

  let last = first;
  // Needs /proc.
  if (process.platform === 'linux') {
    const tree = await descendants(first.child.pid as number);
    expect(tree.length).toBeGreaterThan(3);
    for (const pid of tree) killIfAlive(pid);
    await first.stop();
    last = await serve({ STORAGE_PATH });
    expect((await health(last.url)).status).toBe(200);
    expect((await settingsStatus(last.url)).status).toBe(401);
  }
  expect((await chowkd(['tenant:create', 'bazaar'], { STORAGE_PATH })).code).toBe(0);
  expect(await last.stop('SIGINT')).toMatchObject({ code: 0 });
  await expect(stat(join(STORAGE_PATH, 'postgres/data/postmaster.pid'))).rejects.toThrow('ENOENT');
  const { out } = await chowkd(['tenant:list', '--json'], { STORAGE_PATH });
  expect(
    JSON.parse(out)
      .map(({ id }: { id: string }) => id)
      .sort(),
  ).toEqual(['acme', 'bazaar']);
});

/** A backend may have ended since it was listed. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
