import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventually } from '../../../testing/eventually.ts';
import { openEmbedded } from './embedded-server.ts';
import { ask, isAlive, makeStorages, postmasterPid, run, settings, silent, startVisitor } from './fixtures.ts';

vi.setConfig({ testTimeout: 20_000 });

let storages: Awaited<ReturnType<typeof makeStorages>>;
beforeAll(async () => {
  storages = await makeStorages();
}, 30_000);
afterAll(() => storages.remove());

const open = (storagePath: string) => openEmbedded({ storagePath, say: silent, settings });
const isRoot = process.getuid?.() === 0;
const onLinux = process.platform === 'linux';
/** Whether an ordinary user could run this very code. */
const nobody = isRoot ? await accountOfNobody() : undefined;

test('processes that open an empty folder at once get one server, which the last one stops', async () => {
  const storagePath = storages.fresh();
  const visitors = [startVisitor(storagePath), startVisitor(storagePath), startVisitor(storagePath)];
  const addresses = await Promise.all(visitors.map((visitor) => visitor.opened));
  expect(new Set(addresses.map(({ port, password }) => `${port} ${password}`)).size).toBe(1);
  const pid = await postmasterPid(storagePath);
  expect(await Promise.all(visitors.map((visitor) => visitor.leave()))).toEqual([0, 0, 0]);
  expect(await isAlive(pid)).toBe(false);
  expect(await timesReady(storagePath)).toBe(1);
});

test('a server left behind by a killed process is used by the next one and stopped at its end', async () => {
  const storagePath = await storages.used();
  const visitor = startVisitor(storagePath);
  const left = await visitor.opened;
  const pid = await postmasterPid(storagePath);
  await visitor.kill();
  expect(await isAlive(pid)).toBe(true);
  const server = await open(storagePath);
  expect(server.address).toEqual(left);
  expect(await postmasterPid(storagePath)).toBe(pid);
  // PostgreSQL needs a moment to notice that somebody died.
  const places = () => ask(server.address, `SELECT pid FROM pg_stat_activity WHERE application_name = 'chowk keeper'`);
  await eventually(async () => expect(await places()).toHaveLength(1));
  await server.close();
  expect(await isAlive(pid)).toBe(false);
});

test('coming and going at every moment always finds a server', async () => {
  const storagePath = await storages.used();
  const comeAndGo = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      const server = await open(storagePath);
      expect(await ask(server.address, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await server.close();
    }
  };
  await Promise.all([1, 2, 3, 4].map((times) => comeAndGo(times + 2)));
  await expect(postmasterPid(storagePath)).rejects.toMatchObject({ code: 'ENOENT' });
});

test.skipIf(!isRoot || !onLinux)('root is served below a closed folder too (needs root, Linux)', async () => {
  const closed = storages.fresh();
  await mkdir(closed, { mode: 0o700 });
  const storagePath = await storages.used(join(closed, 'storage'));
  const server = await open(storagePath);
  expect(await commandLine(storagePath)).toContain('-D /proc/self/fd/3/data ');
  // A session started later inherits the way in; a new database makes it use more of the folder.
  await ask(server.address, 'CREATE DATABASE another', 'CHECKPOINT');
  await server.close();
});

test.skipIf(!isRoot || !onLinux)('root uses plain paths where they will do (needs root, Linux)', async () => {
  const storagePath = await storages.used();
  await chmod(storages.folder, 0o755);
  const server = await open(storagePath);
  expect(await commandLine(storagePath)).toContain(`-D ${join(storagePath, 'postgres', 'data')} `);
  expect((await stat(join(storagePath, 'postgres', 'data'))).uid).not.toBe(0);
  await server.close();
  await chmod(storages.folder, 0o700);
});

test.skipIf(!isRoot)('root takes a cluster that was restored as root (needs root)', async () => {
  const storagePath = await storages.used();
  await run('chown', ['-R', '0:0', storagePath]);
  const server = await open(storagePath);
  expect(await ask(server.address, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.close();
});

test.skipIf(!nobody)(
  'an ordinary user needs no root, and root can take over (needs root, code readable for all)',
  async () => {
    const storagePath = join(await run('mktemp', ['-d']).then(({ stdout }) => stdout.trim()), 'storage');
    try {
      await mkdir(storagePath);
      await run('chown', ['-R', `${nobody?.uid}:${nobody?.gid}`, dirname(storagePath)]);
      const visitor = startVisitor(storagePath, nobody);
      await visitor.opened;
      const pid = await postmasterPid(storagePath);
      expect((await run('ps', ['-o', 'uid=', '-p', `${pid}`])).stdout.trim()).toBe(`${nobody?.uid}`);
      const server = await open(storagePath);
      expect(await visitor.leave()).toBe(0);
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

async function accountOfNobody() {
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
