import { execFile, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { ServerAddress } from '../server-address.ts';
import { openEmbedded } from './embedded-server.ts';

export const run = promisify(execFile);

/** Nothing in these tests is about power failures. */
export const settings = { fsync: 'off' };
export const silent = () => {};

/** A storage folder per test: `fresh` is empty, `used` holds a cluster that was made once and closed well. */
export async function makeStorages() {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-embedded-'));
  const pristine = join(folder, 'pristine');
  await (await openEmbedded({ storagePath: pristine, say: silent, settings })).close();
  let made = 0;
  const fresh = () => {
    made += 1;
    return join(folder, `${made}`);
  };
  return {
    folder,
    fresh,
    used: async (path = fresh()) => {
      await run('cp', ['-a', pristine, path]);
      return path;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Runs statements on a connection of their own and answers with the rows of the last. */
export async function ask(address: ServerAddress, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ ...address, database: 'postgres' });
  client.on('error', () => {});
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

export async function postmasterPid(storagePath: string): Promise<number> {
  return Number.parseInt(await readFile(join(storagePath, 'postgres', 'data', 'postmaster.pid'), 'utf8'), 10);
}

export async function isAlive(pid: number): Promise<boolean> {
  const { stdout } = await run('ps', ['-o', 'stat=,args=', '-p', `${pid}`]).catch(() => ({ stdout: '' }));
  // A process that is on its way out has no command line any more, and brackets around its name.
  return stdout !== '' && !/^(Z|\S+\s+[[(])/.test(stdout);
}

/** Kills the server with all its sessions, as a power cut or an impatient container would. */
export async function killServer(storagePath: string): Promise<number> {
  const postmaster = await postmasterPid(storagePath);
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
  const family = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  for (const [pid, parent] of family) {
    if (pid !== postmaster && parent !== postmaster) continue;
    try {
      process.kill(Number(pid), 9);
    } catch (error) {
      // A session may end by itself in between.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  return postmaster;
}

const visit = `
  const { openEmbedded } = await import(${JSON.stringify(new URL('./embedded-server.ts', import.meta.url).href)});
  const server = await openEmbedded({ storagePath: process.argv[1], say: () => {}, settings: { fsync: 'off' } });
  process.stdout.write(JSON.stringify(server.address));
  process.stdin.once('end', () => server.close()).resume();
`;

/** A process of its own that opens the server and, once asked to leave, must come to its end by itself. */
export function startVisitor(storagePath: string, as: Pick<SpawnOptions, 'uid' | 'gid'> = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', visit, storagePath], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: '/',
    ...as,
  });
  const exited = once(child, 'exit');
  const opened = once(child.stdout, 'data').then(([text]): ServerAddress => JSON.parse(String(text)));
  const failed = exited.then(([code, signal]) => Promise.reject(new Error(`the visitor ended: ${code ?? signal}`)));
  failed.catch(() => {});
  return {
    opened: Promise.race([opened, failed]),
    leave: async (): Promise<number> => {
      child.stdin.end();
      return (await exited)[0];
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
