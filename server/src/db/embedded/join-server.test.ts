import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventually } from '../../../testing/eventually.ts';
import { openEmbedded } from './embedded-server.ts';
import { isAlive, makeStorages, postmasterPid, query, run, settings, silent, startClientProcess } from './fixtures.ts';

vi.setConfig({ testTimeout: 20_000 });

let storages: Awaited<ReturnType<typeof makeStorages>>;
beforeAll(async () => {
  storages = await makeStorages();
}, 30_000);
afterAll(() => storages.remove());

const open = (storagePath: string) => openEmbedded({ storagePath, onProgress: silent, settings });
const isRoot = process.getuid?.() === 0;
const onLinux = process.platform === 'linux';
/** Undefined if that account cannot read this code. */
const nobody = isRoot ? await findNobodyAccount() : undefined;

test('processes that open an empty folder at once share one server, and the last one stops it', async () => {
  const storagePath = storages.empty();
  const clients = [startClientProcess(storagePath), startClientProcess(storagePath), startClientProcess(storagePath)];
  const addresses = await Promise.all(clients.map((client) => client.opened));
  expect(new Set(addresses.map(({ port, password }) => `${port} ${password}`)).size).toBe(1);
  const pid = await postmasterPid(storagePath);
  expect(await Promise.all(clients.map((client) => client.close()))).toEqual([0, 0, 0]);
  expect(await isAlive(pid)).toBe(false);
  expect(await timesReady(storagePath)).toBe(1);
});

test('a server whose process was killed is leased and stopped by the next process', async () => {
  const storagePath = await storages.initialized();
  const client = startClientProcess(storagePath);
  const address = await client.opened;
  const pid = await postmasterPid(storagePath);
  await client.kill();
  expect(await isAlive(pid)).toBe(true);
  const server = await open(storagePath);
  expect(server.address).toEqual(address);
  expect(await postmasterPid(storagePath)).toBe(pid);
  // PostgreSQL needs a moment to notice that the client is dead.
  const leases = () =>
    query(server.address, `SELECT pid FROM pg_stat_activity WHERE application_name = 'chowk server lease'`);
  await eventually(async () => expect(await leases()).toHaveLength(1));
  await server.close();
  expect(await isAlive(pid)).toBe(false);
});

test('opening always succeeds while other processes open and close the server', async () => {
  const storagePath = await storages.initialized();
  const openAndClose = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      const server = await open(storagePath);
      expect(await query(server.address, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await server.close();
    }
  };
  await Promise.all([1, 2, 3, 4].map((times) => openAndClose(times + 2)));
  await expect(postmasterPid(storagePath)).rejects.toMatchObject({ code: 'ENOENT' });
});

test.skipIf(!isRoot || !onLinux)(
  'root can use a folder that the server account cannot enter (needs root, Linux)',
  async () => {
    const closed = storages.empty();
    await mkdir(closed, { mode: 0o700 });
    const storagePath = await storages.initialized(join(closed, 'storage'));
    const server = await open(storagePath);
    expect(await commandLine(storagePath)).toContain('-D /proc/self/fd/3/data ');
    // Later sessions inherit the handle; creating a database uses it.
    await query(server.address, 'CREATE DATABASE another', 'CHECKPOINT');
    await server.close();
  },
);

test.skipIf(!isRoot || !onLinux)(
  'root uses plain paths if the server account can enter the folder (needs root, Linux)',
  async () => {
    const storagePath = await storages.initialized();
    await chmod(storages.folder, 0o755);
    const server = await open(storagePath);
    expect(await commandLine(storagePath)).toContain(`-D ${join(storagePath, 'postgres', 'data')} `);
    expect((await stat(join(storagePath, 'postgres', 'data'))).uid).not.toBe(0);
    await server.close();
    await chmod(storages.folder, 0o700);
  },
);

test.skipIf(!isRoot)('root can use a cluster whose files were restored as root (needs root)', async () => {
  const storagePath = await storages.initialized();
  await run('chown', ['-R', '0:0', storagePath]);
  const server = await open(storagePath);
  expect(await query(server.address, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.close();
});

test.skipIf(!nobody)(
  'an ordinary user can run the server, and root can lease it (needs root, code readable for all)',
  async () => {
    const storagePath = join(await run('mktemp', ['-d']).then(({ stdout }) => stdout.trim()), 'storage');
    try {
      await mkdir(storagePath);
      await run('chown', ['-R', `${nobody?.uid}:${nobody?.gid}`, dirname(storagePath)]);
      const client = startClientProcess(storagePath, nobody);
      await client.opened;
      const pid = await postmasterPid(storagePath);
      expect((await run('ps', ['-o', 'uid=', '-p', `${pid}`])).stdout.trim()).toBe(`${nobody?.uid}`);
      const server = await open(storagePath);
      expect(await client.close()).toBe(0);
      expect(await isAlive(pid)).toBe(true);
      await server.close();
      expect(await isAlive(pid)).toBe(false);
      expect((await stat(join(storagePath, 'postgres', 'data'))).uid).toBe(nobody?.uid);
    } finally {
      await run('rm', ['-rf', dirname(storagePath)]);
    }
  },
  20_000,
);

async function timesReady(storagePath: string): Promise<number> {
  const log = await readFile(join(storagePath, 'postgres', 'log'), 'utf8');
  return log.split('ready to accept connections').length - 1;
}

async function commandLine(storagePath: string): Promise<string> {
  return (await readFile(`/proc/${await postmasterPid(storagePath)}/cmdline`, 'utf8')).replaceAll('\0', ' ');
}

async function findNobodyAccount() {
  try {
    const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => (await run('id', [flag, 'nobody'])).stdout));
    const account = { uid: Number(uid), gid: Number(gid) };
    const code = fileURLToPath(new URL('./embedded-server.ts', import.meta.url));
    await run('test', ['-r', code], { ...account, cwd: '/' });
    await run('test', ['-x', process.execPath], { ...account, cwd: '/' });
    return account;
  } catch {
    return undefined;
  }
}
