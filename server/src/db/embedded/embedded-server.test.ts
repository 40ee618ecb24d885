import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openEmbedded } from './embedded-server.ts';
import {
  isAlive,
  killServer,
  makeStorages,
  postmasterPid,
  query,
  run,
  settings,
  silent,
  startClientProcess,
} from './fixtures.ts';

vi.setConfig({ testTimeout: 20_000 });

let storages: Awaited<ReturnType<typeof makeStorages>>;
beforeAll(async () => {
  storages = await makeStorages();
}, 30_000);
afterAll(() => storages.remove());

const open = (storagePath: string) => openEmbedded({ storagePath, onProgress: silent, settings });
const readMode = async (...path: string[]) => (await stat(join(...path))).mode & 0o777;

test('the first start creates a cluster that accepts only its password', async () => {
  const storagePath = storages.empty();
  const progress: string[] = [];
  const server = await openEmbedded({ storagePath, onProgress: (line) => progress.push(line) });
  try {
    expect(progress[0]).toBe('Creating the PostgreSQL cluster (first start)…');
    const [row] = await query(
      server.address,
      `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('fsync') AS fsync,
         current_setting('server_encoding') AS encoding, datcollate, datlocale
       FROM pg_database WHERE datname = current_database()`,
    );
    expect(row).toEqual({ version: 18, fsync: 'on', encoding: 'UTF8', datcollate: 'C', datlocale: 'C.UTF-8' });
    await expect(query({ ...server.address, password: 'guess' }, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });

    const folder = join(storagePath, 'postgres');
    expect((await readdir(folder)).sort()).toEqual(['data', 'log', 'password', 'socket']);
    for (const name of ['', 'data', 'socket']) expect(await readMode(folder, name), name).toBe(0o700);
    for (const name of ['log', 'password']) expect(await readMode(folder, name), name).toBe(0o600);
    expect(Buffer.from((await readFile(join(folder, 'password'), 'utf8')).trim(), 'base64url')).toHaveLength(32);
  } finally {
    await server.close();
  }
});

test('data survives closing and reopening the server', async () => {
  const storagePath = await storages.initialized();
  const first = await open(storagePath);
  await query(first.address, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await first.close();
  const second = await open(storagePath);
  expect(await query(second.address, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  await second.close();
});

test('all users of a storage folder share one server, and the last one stops it', async () => {
  const storagePath = await storages.initialized();
  const [first, second, last] = await Promise.all([open(storagePath), open(storagePath), open(storagePath)]);
  const pid = await postmasterPid(storagePath);
  expect([first.address, second.address]).toEqual([last.address, last.address]);
  await Promise.all([first.close(), second.close()]);
  expect(await query(last.address, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await Promise.all([last.close(), last.close()]);
  expect(await isAlive(pid)).toBe(false);
  expect(existsSync(join(storagePath, 'postgres', 'data', 'postmaster.pid'))).toBe(false);
});

test('committed rows survive when the server and the process that started it are killed', async () => {
  const storagePath = await storages.initialized();
  const client = startClientProcess(storagePath);
  await query(await client.opened, 'CREATE TABLE kept AS SELECT generate_series(1, 1000) AS n');
  await client.kill();
  await killServer(storagePath);
  const server = await open(storagePath);
  expect(await query(server.address, 'SELECT count(*)::int AS rows FROM kept')).toEqual([{ rows: 1000 }]);
  expect(await readdir(join(storagePath, 'postgres', 'socket'))).toHaveLength(2);
  await server.close();
});

test('the server starts although another process now has the process id of a dead server', async () => {
  const storagePath = await storages.initialized();
  // Run as the server's account: PostgreSQL ignores a process that it may not signal.
  const { uid, gid } = await stat(join(storagePath, 'postgres', 'data'));
  const otherProcess = spawn('sleep', ['60'], { stdio: 'ignore', ...(process.getuid?.() === 0 && { uid, gid }) });
  try {
    await writeStaleLockFile(storagePath, Number(otherProcess.pid), 1);
    const server = await open(storagePath);
    expect(await postmasterPid(storagePath)).not.toBe(otherProcess.pid);
    await server.close();
    expect(await isAlive(Number(otherProcess.pid))).toBe(true);
  } finally {
    otherProcess.kill();
  }
});

test('the server starts although a power failure left an empty lock file', async () => {
  const storagePath = await storages.initialized();
  await writeFile(join(storagePath, 'postgres', 'data', 'postmaster.pid'), '');
  const server = await open(storagePath);
  expect(await postmasterPid(storagePath)).toBeGreaterThan(0);
  await server.close();
});

test('the server takes another port if its last one is in use', async () => {
  const storagePath = await storages.initialized();
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  await writeStaleLockFile(storagePath, 0x3f_ffff, port);
  const server = await open(storagePath);
  expect(server.address.port).not.toBe(port);
  await server.close();
  other.close();
});

test('the remains of a killed initdb are removed, other folders are kept', async () => {
  const storagePath = storages.empty();
  const folder = join(storagePath, 'postgres');
  await mkdir(join(folder, 'data.new-0123456789ab', 'base'), { recursive: true });
  await mkdir(join(folder, 'data.backup'));
  const server = await open(storagePath);
  await server.close();
  expect((await readdir(folder)).sort()).toEqual(['data', 'data.backup', 'log', 'password', 'socket']);
});

test('a large log file is rotated at the start', async () => {
  const storagePath = await storages.initialized();
  const log = join(storagePath, 'postgres', 'log');
  await truncate(log, 11 * 2 ** 20);
  await (await open(storagePath)).close();
  expect((await stat(`${log}.1`)).size).toBe(11 * 2 ** 20);
  expect((await stat(log)).size).toBeLessThan(2 ** 20);
});

test('the server uses TCP if the storage path is too long for a Unix socket', async () => {
  const storagePath = join(storages.folder, 'a-long-name,'.repeat(8), 'storage');
  await mkdir(dirname(storagePath));
  const server = await open(await storages.initialized(storagePath));
  expect(server.address.host).toBe('127.0.0.1');
  expect(await query(server.address, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.close();
});

test('a lost lease connection is replaced, and the server keeps running', async () => {
  const storagePath = await storages.initialized();
  const server = await open(storagePath);
  const leases = `FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND application_name = 'chowk server lease'`;
  const [before] = await query(server.address, `SELECT pid, pg_terminate_backend(pid) ${leases}`);
  await expect
    .poll(() => query(server.address, `SELECT pid <> ${before?.pid} AS renewed ${leases}`), { interval: 20 })
    .toEqual([{ renewed: true }]);
  await (await open(storagePath)).close();
  expect(await query(server.address, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.close();
});

test('a server that dies while it is used is restarted at the same address', async () => {
  const storagePath = await storages.initialized();
  const server = await open(storagePath);
  const { address } = server;
  await killServer(storagePath);
  await expect.poll(() => query(address, 'SELECT 1 AS one').catch(() => []), { timeout: 5_000 }).toEqual([{ one: 1 }]);
  const pid = await postmasterPid(storagePath);
  await server.close();
  expect(await isAlive(pid)).toBe(false);
});

test.each([0, 100, 250, 500])('closing %i ms after the server died leaves no server running', async (delay) => {
  const storagePath = await storages.initialized();
  const server = await open(storagePath);
  await killServer(storagePath);
  await pause(delay);
  await server.close();
  const remainingPid = await postmasterPid(storagePath).catch(() => undefined);
  expect(remainingPid !== undefined && (await isAlive(remainingPid))).toBe(false);
});

test('the start waits for sessions that outlive their killed server', async () => {
  const storagePath = await storages.initialized();
  const client = startClientProcess(storagePath);
  // A busy loop does not notice that its server is gone.
  const busy = query(
    await client.opened,
    'CREATE TABLE kept AS SELECT 42 AS answer',
    `DO $$ BEGIN WHILE clock_timestamp() < now() + interval '4 s' LOOP NULL; END LOOP; END $$`,
  ).catch(() => {});
  const running = `SELECT 1 AS one FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'DO %'`;
  await expect.poll(async () => query(await client.opened, running), { interval: 20 }).toEqual([{ one: 1 }]);
  await client.kill();
  process.kill(await postmasterPid(storagePath), 'SIGKILL');
  const server = await open(storagePath);
  expect(await query(server.address, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  expect(await readFile(join(storagePath, 'postgres', 'log'), 'utf8')).toContain('pre-existing shared memory block');
  await Promise.all([server.close(), busy]);
});

test('a server that cannot start fails with the reason and the path of its log', async () => {
  const storagePath = await storages.initialized();
  const failure = openEmbedded({ storagePath, onProgress: silent, settings: { shared_buffers: 'plenty' } });
  const log = join((await run('realpath', [storagePath])).stdout.trim(), 'postgres', 'log');
  await expect(failure).rejects.toThrow(
    `PostgreSQL did not start: invalid value for parameter "shared_buffers": "plenty" (see ${log})`,
  );
});

/** Writes the lock file of a server that was killed. */
async function writeStaleLockFile(storagePath: string, pid: number, port: number): Promise<void> {
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
