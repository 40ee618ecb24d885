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

/** These tests do not simulate power failures. */
export const settings = { fsync: 'off' };
export const silent = () => {};

/** Storage folders for tests: `empty` returns the path of a new one, `initialized` copies one with a cluster. */
export async function makeStorages() {
  const folder = await mkdtemp(join(tmpdir(), 'chowk-embedded-'));
  const pristine = join(folder, 'pristine');
  await (await openEmbedded({ storagePath: pristine, onProgress: silent, settings })).close();
  let count = 0;
  const empty = () => {
    count += 1;
    return join(folder, `${count}`);
  };
  return {
    folder,
    empty,
    initialized: async (path = empty()) => {
      await run('cp', ['-a', pristine, path]);
      return path;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Runs statements on a new connection and returns the rows of the last one. */
export async function query(address: ServerAddress, ...statements: string[]): Promise<Record<string, unknown>[]> {
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
  // `ps` shows the name of an exiting process in brackets, without arguments.
  return stdout !== '' && !/^(Z|\S+\s+[[(])/.test(stdout);
}

/** Kills the server and all its sessions. */
export async function killServer(storagePath: string): Promise<number> {
  const postmaster = await postmasterPid(storagePath);
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
  const processes = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  for (const [pid, parent] of processes) {
    if (pid !== postmaster && parent !== postmaster) continue;
    try {
      process.kill(Number(pid), 9);
    } catch (error) {
      // The session may have ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  return postmaster;
}

const clientScript = `
  const { openEmbedded } = await import(${JSON.stringify(new URL('./embedded-server.ts', import.meta.url).href)});
  const server = await openEmbedded({ storagePath: process.argv[1], onProgress: () => {}, settings: { fsync: 'off' } });
  process.stdout.write(JSON.stringify(server.address));
  process.stdin.once('end', () => server.close()).resume();
`;

/** Starts a process that opens the server. After `close` it must exit by itself. */
export function startClientProcess(storagePath: string, as: Pick<SpawnOptions, 'uid' | 'gid'> = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', clientScript, storagePath], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: '/',
    ...as,
  });
  const exited = once(child, 'exit');
  const opened = once(child.stdout, 'data').then(([text]): ServerAddress => JSON.parse(String(text)));
  const failed = exited.then(([code, signal]) =>
    Promise.reject(new Error(`the client process exited: ${code ?? signal}`)),
  );
  failed.catch(() => {});
  return {
    opened: Promise.race([opened, failed]),
    close: async (): Promise<number> => {
      child.stdin.end();
      return (await exited)[0];
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
