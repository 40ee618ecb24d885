import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openEmbedded } from './embedded-server.ts';
import {
  ask,
  isAlive,
  killServer,
  makeStorages,
  postmasterPid,
  run,
  settings,
  silent,
  startVisitor,
} from './fixtures.ts';

vi.setConfig({ testTimeout: 20_000 });

let storages: Awaited<ReturnType<typeof makeStorages>>;
beforeAll(async () => {
  storages = await makeStorages();
}, 30_000);
afterAll(() => storages.remove());

const open = (storagePath: string) => openEmbedded({ storagePath, say: silent, settings });
const modeOf = async (...path: string[]) => (await stat(join(...path))).mode & 0o777;

test('the first start makes a cluster that only its password opens', async () => {
  const storagePath = storages.fresh();
  const said: string[] = [];
  const server = await openEmbedded({ storagePath, say: (line) => said.push(line) });
  try {
    expect(said[0]).toBe('Creating the PostgreSQL cluster (first start)…');
    const [row] = await ask(
      server.address,
      `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('fsync') AS fsync,
         current_setting('server_encoding') AS encoding, datcollate, datlocale
       FROM pg_database WHERE datname = current_database()`,
    );
    expect(row).toEqual({ version: 18, fsync: 'on', encoding: 'UTF8', datcollate: 'C', datlocale: 'C.UTF-8' });
    await expect(ask({ ...server.address, password: 'guess' }, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });

    const folder = join(storagePath, 'postgres');
    expect((await readdir(folder)).sort()).toEqual(['data', 'log', 'password', 'socket']);
    for (const name of ['', 'data', 'socket']) expect(await modeOf(folder, name), name).toBe(0o700);
    for (const name of ['log', 'password']) expect(await modeOf(folder, name), name).toBe(0o600);
    expect(Buffer.from((await readFile(join(folder, 'password'), 'utf8')).trim(), 'base64url')).toHaveLength(32);
  } finally {
    await server.close();
  }
});

test('what was written survives close and reopen', async () => {
  const storagePath = await storages.used();
  const first = await open(storagePath);
  await ask(first.address, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await first.close();
  const second = await open(storagePath);
  expect(await ask(second.address, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  await second.close();
});

test('everyone who opens it shares one server, and the last to close stops it', async () => {
  const storagePath = await storages.used();
  const [first, second, last] = await Promise.all([open(storagePath), open(storagePath), open(storagePath)]);
  const pid = await postmasterPid(storagePath);
  expect([first.address, second.address]).toEqual([last.address, last.address]);
  await Promise.all([first.close(), second.close()]);
  expect(await ask(last.address, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await Promise.all([last.close(), last.close()]);
  expect(await isAlive(pid)).toBe(false);
  expect(existsSync(join(storagePath, 'postgres', 'data', 'postmaster.pid'))).toBe(false);
});

test('committed rows survive when the server and its user are killed', async () => {
  const storagePath = await storages.used();
  const visitor = startVisitor(storagePath);
  await ask(await visitor.opened, 'CREATE TABLE kept AS SELECT generate_series(1, 1000) AS n');
  await visitor.kill();
  await killServer(storagePath);
  const server = await open(storagePath);
  expect(await ask(server.address, 'SELECT count(*)::int AS rows FROM kept')).toEqual([{ rows: 1000 }]);
  expect(await readdir(join(storagePath, 'postgres', 'socket'))).toHaveLength(2);
  await server.close();
});

test('a process that has the number of a dead server does not stand in the way', async () => {
  const storagePath = await storages.used();
  // Of the server's own account: PostgreSQL itself sees through a process it may not signal.
  const { uid, gid } = await stat(join(storagePath, 'postgres', 'data'));
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore', ...(process.getuid?.() === 0 && { uid, gid }) });
  try {
    await leavePidFile(storagePath, Number(stranger.pid), 1);
    const server = await open(storagePath);
    expect(await postmasterPid(storagePath)).not.toBe(stranger.pid);
    await server.close();
    expect(await isAlive(Number(stranger.pid))).toBe(true);
  } finally {
    stranger.kill();
  }
});

test('an empty postmaster.pid, as a power cut leaves it, does not stand in the way', async () => {
  const storagePath = await storages.used();
  await writeFile(join(storagePath, 'postgres', 'data', 'postmaster.pid'), '');
  const server = await open(storagePath);
  expect(await postmasterPid(storagePath)).toBeGreaterThan(0);
  await server.close();
});

test('a port that was taken meanwhile is exchanged for another', async () => {
  const storagePath = await storages.used();
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  await leavePidFile(storagePath, 0x3f_ffff, port);
  const server = await open(storagePath);
  expect(server.address.port).not.toBe(port);
  await server.close();
  other.close();
});

test('what a killed initdb left is removed, and nothing else', async () => {
  const storagePath = storages.fresh();
  const folder = join(storagePath, 'postgres');
  await mkdir(join(folder, 'data.new-0123456789ab', 'base'), { recursive: true });
  await mkdir(join(folder, 'data.backup'));
  const server = await open(storagePath);
  await server.close();
  expect((await readdir(folder)).sort()).toEqual(['data', 'data.backup', 'log', 'password', 'socket']);
});

test('a log that has grown large makes room for a new one', async () => {
  const storagePath = await storages.used();
  const log = join(storagePath, 'postgres', 'log');
  await truncate(log, 11 * 2 ** 20);
  await (await open(storagePath)).close();
  expect((await stat(`${log}.1`)).size).toBe(11 * 2 ** 20);
  expect((await stat(log)).size).toBeLessThan(2 ** 20);
});

test('a path too long for a unix socket is served over TCP', async () => {
  const storagePath = join(storages.folder, 'a-long-name,'.repeat(8), 'storage');
  await mkdir(dirname(storagePath));
  const server = await open(await storages.used(storagePath));
  expect(server.address.host).toBe('127.0.0.1');
  expect(await ask(server.address, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.close();
});

test('a lost connection does not lose the place among the users', async () => {
  const storagePath = await storages.used();
  const server = await open(storagePath);
  const keepers = `FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND application_name = 'chowk keeper'`;
  const [before] = await ask(server.address, `SELECT pid, pg_terminate_backend(pid) ${keepers}`);
  await expect
    .poll(() => ask(server.address, `SELECT pid <> ${before?.pid} AS renewed ${keepers}`), { interval: 20 })
    .toEqual([{ renewed: true }]);
  await (await open(storagePath)).close();
  expect(await ask(server.address, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.close();
});

test('a server that dies while it is used comes back at the same address', async () => {
  const storagePath = await storages.used();
  const server = await open(storagePath);
  const { address } = server;
  await killServer(storagePath);
  await expect.poll(() => ask(address, 'SELECT 1 AS one').catch(() => []), { timeout: 5_000 }).toEqual([{ one: 1 }]);
  const pid = await postmasterPid(storagePath);
  await server.close();
  expect(await isAlive(pid)).toBe(false);
});

test.each([0, 100, 250, 500])('who closes %i ms after the server died leaves none behind', async (delay) => {
  const storagePath = await storages.used();
  const server = await open(storagePath);
  await killServer(storagePath);
  await pause(delay);
  await server.close();
  const left = await postmasterPid(storagePath).catch(() => undefined);
  expect(left !== undefined && (await isAlive(left))).toBe(false);
});

test('sessions that outlive their killed server are waited for', async () => {
  const storagePath = await storages.used();
  const visitor = startVisitor(storagePath);
  // It computes without pause and so does not notice that its server is gone.
  const busy = ask(
    await visitor.opened,
    'CREATE TABLE kept AS SELECT 42 AS answer',
    `DO $$ BEGIN WHILE clock_timestamp() < now() + interval '1 s' LOOP NULL; END LOOP; END $$`,
  ).catch(() => {});
  const running = `SELECT 1 AS one FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'DO %'`;
  await expect.poll(async () => ask(await visitor.opened, running), { interval: 20 }).toEqual([{ one: 1 }]);
  await visitor.kill();
  process.kill(await postmasterPid(storagePath), 'SIGKILL');
  const server = await open(storagePath);
  expect(await ask(server.address, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  expect(await readFile(join(storagePath, 'postgres', 'log'), 'utf8')).toContain('pre-existing shared memory block');
  await Promise.all([server.close(), busy]);
});

test('a server that cannot start says why in one line and names its log', async () => {
  const storagePath = await storages.used();
  const failure = openEmbedded({ storagePath, say: silent, settings: { shared_buffers: 'plenty' } });
  const log = join((await run('realpath', [storagePath])).stdout.trim(), 'postgres', 'log');
  await expect(failure).rejects.toThrow(
    `PostgreSQL did not start: invalid value for parameter "shared_buffers": "plenty" (see ${log})`,
  );
});

/** As a server leaves it behind that is killed with everything around it. */
async function leavePidFile(storagePath: string, pid: number, port: number): Promise<void> {
  const data = join(storagePath, 'postgres', 'data');
  const lines = [
    pid,
    data,
    1_700_000_000,
    port,
    join(storagePath, 'postgres', 'socket'),
    '127.0.0.1',
    '  1  1',
    'ready',
  ];
  await writeFile(join(data, 'postmaster.pid'), `${lines.join('\n')}\n`);
}
