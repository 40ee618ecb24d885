import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '@chowk/kit/kernel';
import { expect, test } from 'vitest';
import { notesModule } from '../../testing/notes-module.ts';
import { startPlatform, type TestTenant } from '../../testing/platform.ts';
import { serverUrl, startSecondServer } from '../../testing/second-server.ts';
import type { TenantServer } from './central-database.ts';
import { findProblems } from './doctor.ts';
import { inDatabase } from './move-schema.ts';
import { moveTenant } from './move-tenant.ts';

const [follower, plain] = [
  await startSecondServer({ log_min_duration_statement: '0' }),
  await startSecondServer({ wal_level: 'replica' }),
];
const environment = {
  DATABASE_WAIT_TIMEOUT_MS: '2000',
  DATABASE_SERVERS: `east=${serverUrl(follower)}?weight=0,west=${serverUrl(plain)}?weight=0`,
};
const platform = await startPlatform({ modules: [notesModule], environment });
const other = await startPlatform({
  modules: [notesModule],
  environment,
  sharedWith: platform,
  identity: platform.identity,
});
const { central, databases, directory } = platform.kernel;
const [main, east, west] = central.servers as unknown as readonly [TenantServer, TenantServer, TenantServer];
// A separate installation, so that databases of other test files are ignored.
await central.db.run(sql`DELETE FROM prepared_databases`);
await central.db.run(sql`UPDATE installation SET id = gen_random_uuid()`);

async function tenantWithNotes(): Promise<TestTenant> {
  const tenant = await platform.tenant();
  await tenant.db.run(sql`INSERT INTO notes (text) SELECT 'old ' || n FROM generate_series(1, 500) n`);
  await tenant.db.run(sql`UPDATE notes SET reply_to = id - 1 WHERE id > 1`);
  return tenant;
}

async function readNotes({ id }: { id: string }): Promise<string[]> {
  const rows = await (await directory.find(id))?.db.rows<{ text: string }>(sql`SELECT text FROM notes ORDER BY id`);
  return (rows ?? []).map(({ text }) => text);
}

async function findServerName({ id }: { id: string }): Promise<string> {
  return (await databases.getServer(id)).name;
}

/** What a move has left on a server. */
async function findRemains({ id }: { id: string }, { db }: TenantServer): Promise<unknown[]> {
  const database = `tenant${id}`;
  return [
    ...(await db.rows(sql`SELECT slot_name FROM pg_replication_slots WHERE database = ${database}`)),
    ...(await db.rows(sql`
      SELECT subname FROM pg_subscription s JOIN pg_database d ON d.oid = s.subdbid WHERE d.datname = ${database}`)),
    ...(await db.rows(sql`
      SELECT setconfig FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
      WHERE d.datname = ${database}`)),
  ];
}

async function expectConsistent(tenant: TestTenant): Promise<void> {
  await platform.kernel.signals.waitUntilApplied();
  await other.kernel.signals.waitUntilApplied();
  expect(await findProblems(central, databases)).toEqual([]);
  expect(await central.db.rows(sql`SELECT * FROM tenant_moves`)).toEqual([]);
  for (const server of [main, east, west]) expect(await findRemains(tenant, server)).toEqual([]);
  const { db } = (await directory.find(tenant.id)) as TestTenant;
  const row = await db.row(sql`
    SELECT (SELECT count(*) FROM notes) = (SELECT count FROM note_counts) AS "isCounted",
      (SELECT count(*) FROM schema_migrations) > 0 AS "isMigrated",
      (SELECT count(*) FROM notes WHERE length <> length(text)) AS wrong`);
  expect(row).toEqual({ isCounted: true, isMigrated: true, wrong: 0 });
}

/** Writes through two processes, 50 times a second, until it is stopped. Returns the notes by status. */
function writeConstantly(tenant: TestTenant) {
  const acknowledged: string[] = [];
  const refused: number[] = [];
  const [one, two] = [tenant.caller('notes.create'), tenant.caller('notes.create')];
  const requests: Promise<void>[] = [];
  const state = { isStopped: false };
  const running = (async () => {
    for (let count = 0; !state.isStopped; count += 1) {
      const text = `new ${count}`;
      const { token } = count % 2 ? one : two;
      const app = count % 2 ? platform.app : other.app;
      const headers = { authorization: `Bearer ${token}`, 'x-tenant': tenant.id };
      requests.push(
        Promise.resolve(app.inject({ method: 'POST', url: '/api/v1/notes', headers, payload: { text } })).then(
          ({ statusCode }) => void (statusCode === 200 ? acknowledged.push(text) : refused.push(statusCode)),
        ),
      );
      await pause(20);
    }
  })();
  return async () => {
    state.isStopped = true;
    await running;
    await Promise.all(requests);
    return { acknowledged, refused };
  };
}

test('a tenant that is moved under 50 writes a second loses none of them', async () => {
  const tenant = await tenantWithNotes();
  const stop = writeConstantly(tenant);
  const result = await moveTenant(central, databases, tenant.id, { to: 'east' });
  await pause(300);
  const { acknowledged, refused } = await stop();
  expect(result).toMatchObject({ from: 'main', to: 'east', kept: undefined });
  expect(await findServerName(tenant)).toBe('east');
  const notes = await readNotes(tenant);
  expect(new Set(notes).size).toBe(notes.length);
  expect(acknowledged.filter((text) => !notes.includes(text))).toEqual([]);
  expect(acknowledged.length).toBeGreaterThan(20);
  expect(new Set(refused)).toEqual(new Set(refused.length > 0 ? [503] : []));
  expect(await databases.exists(`tenant${tenant.id}`, main)).toBe(false);
  await expectConsistent(tenant);
});

test('the tenant is not in use again before the target has the last change, however slow it is', async () => {
  const tenant = await tenantWithNotes();
  const subscription = async (change: 'DISABLE' | 'ENABLE') => {
    const row = await east.db.row<{ name: string }>(sql`SELECT subname AS name FROM pg_subscription`);
    await inDatabase(east, `tenant${tenant.id}`, (connection) =>
      connection.script(`ALTER SUBSCRIPTION ${row?.name} ${change}`),
    );
  };
  await moveTenant(central, databases, tenant.id, {
    to: 'east',
    async onProgress(line) {
      if (line === 'copied') {
        await subscription('DISABLE');
        await tenant.db.run(sql`INSERT INTO notes (text) VALUES ('last')`);
      }
      if (line === 'fenced') setTimeout(() => subscription('ENABLE'), 500);
    },
  });
  expect(await readNotes(tenant)).toContain('last');
  await expectConsistent(tenant);
});

test('a server without logical replication is left with a pause during the copy', async () => {
  const tenant = await tenantWithNotes();
  await moveTenant(central, databases, tenant.id, { to: 'west' });
  const lines: string[] = [];
  await moveTenant(central, databases, tenant.id, { to: 'main', onProgress: (line) => void lines.push(line) });
  expect(lines[0]).toBe('The tenant is paused during the whole copy: wal_level of west is replica, not logical.');
  expect(await findServerName(tenant)).toBe('main');
  await platform.kernel.signals.waitUntilApplied();
  expect(await tenant.caller('notes.create').post('/api/v1/notes', { text: 'next' })).toMatchObject({
    status: 200,
    body: { id: 501 },
  });
  expect((await readNotes(tenant)).length).toBe(501);
  await expectConsistent(tenant);
});

test('a tenant can be moved without a connection between the servers', async () => {
  const tenant = await tenantWithNotes();
  await moveTenant(central, databases, tenant.id, { to: 'east', isOffline: true });
  expect((await readNotes(tenant)).length).toBe(500);
  await expectConsistent(tenant);
});

test('the password of the source is not in the log of the target', async () => {
  const row = await east.db.row<{ log: string }>(sql`
    SELECT pg_read_file(current_setting('data_directory') || '/../log') AS log`);
  expect(row?.log).toContain('CREATE DATABASE');
  expect(row?.log).not.toContain(main.address.password);
});

test('the old database can be kept, read-only, and the tenant can move back', async () => {
  const tenant = await tenantWithNotes();
  const { kept } = await moveTenant(central, databases, tenant.id, { to: 'east', keep: true });
  expect(kept).toMatch(new RegExp(`^kept_tenant${tenant.id}_`));
  expect(await main.db.row(sql`SELECT FROM pg_database WHERE datname = ${kept}`)).toBeDefined();
  await moveTenant(central, databases, tenant.id, { to: 'main' });
  expect((await readNotes(tenant)).length).toBe(500);
  await databases.drop(String(kept), main);
  await expectConsistent(tenant);
});

test('a tenant cannot be moved to an unknown server, to its own, or over another database', async () => {
  const tenant = await tenantWithNotes();
  const move = (to: string) => moveTenant(central, databases, tenant.id, { to });
  await expect(move('north')).rejects.toThrow('there is no database server north; the servers are main, east, west');
  await expect(move('main')).rejects.toThrow('is already on main');
  await databases.copyTemplate(`tenant${tenant.id}`, east);
  await expect(move('east')).rejects.toThrow('east already has a database');
  await databases.drop(`tenant${tenant.id}`, east);
  await expectConsistent(tenant);
});

test('a tenant whose schema differs from the template is not moved and stays in use', async () => {
  const tenant = await tenantWithNotes();
  const move = () => moveTenant(central, databases, tenant.id, { to: 'east' });
  await tenant.db.run(sql`CREATE TABLE extra (id int)`);
  await expect(move()).rejects.toThrow(/column extra.id integer/);
  await tenant.db.run(sql`DROP TABLE extra`);
  await tenant.db.run(sql`CREATE SCHEMA other CREATE TABLE extra (id int)`);
  await expect(move()).rejects.toThrow(/table other.extra outside the schema public/);
  expect((await tenant.caller('notes.create').post('/api/v1/notes', { text: 'still here' })).status).toBe(200);
  await expectConsistent(tenant);
});

test('a transaction that does not end within the grace period is rolled back, not lost after its commit', async () => {
  const tenant = await tenantWithNotes();
  const { promise: isFenced, resolve: proceed } = Promise.withResolvers<void>();
  let slow: Promise<string> | undefined;
  await moveTenant(central, databases, tenant.id, {
    to: 'east',
    graceMs: 300,
    onProgress(line) {
      if (line === 'fenced') proceed();
      if (line !== 'paused') return;
      const work = tenant.db.tx(async (tx) => {
        await tx.run(sql`INSERT INTO notes (text) VALUES ('slow')`);
        await isFenced;
      });
      slow = work.then(
        () => 'committed',
        () => 'failed',
      );
    },
  });
  expect(await slow).toBe('failed');
  expect(await readNotes(tenant)).not.toContain('slow');
  await expectConsistent(tenant);
});

test('queries of a paused tenant wait, and fail with 503 if the pause is too long', async () => {
  const tenant = await tenantWithNotes();
  const post = (text: string) => tenant.caller('notes.create').post('/api/v1/notes', { text });
  const pauseTenant = async () => {
    await central.db.run(sql`
      INSERT INTO tenant_moves (tenant_id, source, target, step, keep) VALUES (${tenant.id}, 'main', 'east', 'paused', false)`);
    await platform.kernel.signals.waitUntilApplied();
  };
  const resume = () => central.db.run(sql`DELETE FROM tenant_moves WHERE tenant_id = ${tenant.id}`);
  await pauseTenant();
  const waiting = post('patient');
  await resume();
  expect((await waiting).status).toBe(200);
  await pauseTenant();
  expect(await post('impatient')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: { code: 'tenancy.moving' },
  });
  await resume();
  await expectConsistent(tenant);
});

test('a process that was not notified of the pause cannot write either', async () => {
  const tenant = await tenantWithNotes();
  const failures: unknown[] = [];
  await moveTenant(central, databases, tenant.id, {
    to: 'east',
    onProgress(line) {
      if (line !== 'fenced') return;
      // The handle of a cached entry, which still leads to the source.
      const write = tenant.db.run(sql`INSERT INTO notes (text) VALUES ('late')`);
      write.catch((error: { code?: string }) => failures.push(error.code));
    },
  });
  expect(failures).toEqual(['25006']);
  expect(await readNotes(tenant)).not.toContain('late');
  await expectConsistent(tenant);
});

test('a move that another process has undone meanwhile does not switch and leaves the source writable', async () => {
  const tenant = await tenantWithNotes();
  const moved = moveTenant(central, databases, tenant.id, {
    to: 'east',
    async onProgress(line) {
      if (line === 'paused') await central.db.run(sql`DELETE FROM tenant_moves WHERE tenant_id = ${tenant.id}`);
    },
  });
  await expect(moved).rejects.toThrow('another process has ended this move');
  expect(await findServerName(tenant)).toBe('main');
  expect((await tenant.caller('notes.create').post('/api/v1/notes', { text: 'after' })).status).toBe(200);
  await expectConsistent(tenant);
});

const settling: Record<string, (tenantId: string) => Promise<unknown>> = {
  'the next move': (tenantId) => moveTenant(central, databases, tenantId, { to: 'east' }),
  async 'the doctor'() {
    for (const { repair } of await findProblems(central, databases)) await repair?.();
  },
  'a job': () =>
    platform.kernel.jobs
      .getHandler('kernel.settle_moves')
      .perform({ job: 'kernel.settle_moves', tenant: '', data: {}, requestId: 'test' }),
};

test.each([
  ['The tenant stays in use while it is copied to east.', 'the next move'],
  ['following', 'a job'],
  ['copied', 'the doctor'],
  ['paused', 'the next move'],
  ['fenced', 'a job'],
  ['replayed', 'the doctor'],
  ['switched', 'the next move'],
])('a move that is killed at the step "%s" is finished or undone by %s', async (step, settler) => {
  const tenant = await tenantWithNotes();
  await moveUntilKilled(tenant.id, step);
  expect((await findProblems(central, databases)).map(({ problem }) => problem)).toEqual(['interrupted move']);
  expect(await findServerName(tenant)).toBe(step === 'switched' ? 'east' : 'main');
  await settling[settler]?.(tenant.id);
  expect(await findServerName(tenant)).toBe(settler === 'the next move' ? 'east' : 'main');
  await expectConsistent(tenant);
  expect((await tenant.caller('notes.create').post('/api/v1/notes', { text: 'after' })).status).toBe(200);
  expect((await readNotes(tenant)).length).toBe(501);
});

async function moveUntilKilled(tenantId: string, step: string): Promise<void> {
  const program = resolve(import.meta.dirname, '../../testing/move-process.ts');
  const child = spawn(process.execPath, [program, tenantId, 'east', step], {
    env: {
      ...process.env,
      ...environment,
      APP_ENV: 'testing',
      SPARE_DATABASES: '0',
      DATABASE_URL: `${serverUrl(main.address)}/${central.database}`,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  // PostgreSQL notices within a second that the process is dead, and releases its lock.
  await expect
    .poll(
      () =>
        central.db.rows(sql`SELECT FROM pg_locks WHERE locktype = 'advisory'
        AND objid = (hashtext(${`move tenant ${tenantId}`})::bigint & 4294967295)::oid`),
      { timeout: 10_000 },
    )
    .toEqual([]);
}
