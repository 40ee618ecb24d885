import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { ownerSetting, socketFile } from './postmaster.ts';
import { pathForProgram, type RunningProgram, runProgram } from './program.ts';
import type { ServerDirectory } from './server-directory.ts';
import { serverSettings } from './settings.ts';

/** The parameters of one attempt to start the server. */
export interface StartAttempt {
  readonly port: number;
  readonly hasSocket: boolean;
  readonly portChangesLeft: number;
  /** The number of further attempts while the lock file is empty: another process may be writing it. */
  readonly emptyLockRetriesLeft: number;
}

/** The limit is 108 bytes on Linux and 104 on macOS; the rest is a margin. */
const maxSocketPathBytes = 100;

export async function firstAttempt(directory: ServerDirectory, port: number | undefined): Promise<StartAttempt> {
  const hasSocket = Buffer.byteLength(socketFile(directory.path, 65_535)) <= maxSocketPathBytes;
  return { port: port ?? (await freePort()), hasSocket, portChangesLeft: 5, emptyLockRetriesLeft: 15 };
}

/** The attempt to make after one that failed for this reason; `undefined` if another attempt would not help. */
export async function nextAttempt(
  directory: ServerDirectory,
  attempt: StartAttempt,
  reason: string,
): Promise<StartAttempt | undefined> {
  // Another process has started the server.
  if (/lock file ".*" already exists/.test(reason)) return attempt;
  // Another process is writing the lock file, or a power failure left it empty.
  if (/lock file ".*" is empty/.test(reason)) {
    if (attempt.emptyLockRetriesLeft === 0) await removeIfEmpty(join(directory.path, 'data', 'postmaster.pid'));
    return { ...attempt, emptyLockRetriesLeft: Math.max(0, attempt.emptyLockRetriesLeft - 1) };
  }
  // The server was killed and its last sessions are still ending.
  if (/pre-existing shared memory block/.test(reason)) return attempt;
  if (/could not create any TCP/.test(reason) && attempt.portChangesLeft > 0) {
    return { ...attempt, port: await freePort(), portChangesLeft: attempt.portChangesLeft - 1 };
  }
  // Some file systems mounted into containers do not support sockets.
  if (/could not create any Unix-domain sockets/.test(reason)) return { ...attempt, hasSocket: false };
  return undefined;
}

export interface StartOptions extends StartAttempt {
  /** Settings that override the defaults. */
  readonly settings: Readonly<Record<string, string>>;
  /** The process id in the lock file of a dead server. */
  readonly stalePid: number | undefined;
}

export async function startPostmaster(
  directory: ServerDirectory,
  { port, hasSocket, settings, stalePid }: StartOptions,
): Promise<RunningProgram> {
  const allSettings = {
    ...serverSettings({ databases: await countDatabases(directory) }),
    ...settings,
    port: `${port}`,
    listen_addresses: '127.0.0.1',
    // A comma-separated list; the quotes protect a comma in the path.
    unix_socket_directories: hasSocket ? `"${pathForProgram(directory, 'socket').replaceAll('"', '""')}"` : '',
  };
  const args = Object.entries(allSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = await runProgram(
    directory,
    'postgres',
    ['-D', pathForProgram(directory, 'data'), ...args, '-c', ownerSetting(directory.path)],
    {
      // PostgreSQL refuses to start while a process other than its grandparent has the id in postmaster.pid. This lets it
      // replace the file itself, safely; deleting it here could let two servers into one data directory.
      ...(stalePid && { PG_GRANDPARENT_PID: `${stalePid}` }),
    },
  );
  program.unref();
  return program;
}

/** Each database has a folder of its own. */
async function countDatabases(directory: ServerDirectory): Promise<number> {
  return (await readdir(join(directory.path, 'data', 'base'))).length;
}

async function removeIfEmpty(file: string): Promise<void> {
  const stats = await stat(file).catch(() => undefined);
  if (stats?.size === 0) await rm(file, { force: true });
}
