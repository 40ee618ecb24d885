import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { ServerAddress } from '../server-address.ts';
import { superuser } from './cluster.ts';
import { findPostmaster, type Postmaster, socketFile } from './postmaster.ts';
import { logFile, type RunningProgram } from './program.ts';
import type { ServerDirectory } from './server-directory.ts';
import { acquireServerLease, isTransient, type ServerLease } from './server-lease.ts';
import { firstAttempt, nextAttempt, type StartAttempt, startPostmaster } from './start-postmaster.ts';

export interface JoinOptions {
  readonly directory: ServerDirectory;
  readonly password: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface JoinedServer {
  readonly address: ServerAddress;
  readonly lease: ServerLease;
}

interface Start {
  readonly attempt: StartAttempt;
  readonly program: RunningProgram;
  /** Number of earlier starts that failed for an unknown reason. */
  readonly failures: number;
}

/** Fewer failures can be a race with other processes that start or stop the server. */
const maxFailures = 3;

const joinTimeoutMs = 60_000;
const slowStartMs = 3_000;

/**
 * Leases the server of the directory and starts it if necessary. Any number of processes may do so at once while other
 * processes leave and servers stop: each round looks at the current state and takes one step.
 */
export async function joinServer(options: JoinOptions, lastPort?: number): Promise<JoinedServer> {
  const { directory, onProgress, signal } = options;
  const startedAt = Date.now();
  let start: Start | undefined;
  let lastError = '';
  let reportAfterMs = slowStartMs;
  for (let wait = 10; ; wait = Math.min(wait * 1.3, 250)) {
    // A server that this process has started is joined first, because no other process might stop it.
    if (!start?.program.isRunning()) signal.throwIfAborted();
    const postmaster = await findPostmaster(directory.path);
    if (postmaster?.isReady) {
      const address = serverAddress(options, postmaster);
      const lease = await acquireServerLease(address).catch((error: Error) => {
        if (!isTransient(error)) throw connectionRefused(directory, error);
        lastError = error.message;
      });
      if (lease) {
        if (start) await removeStaleSockets(directory, postmaster.port);
        return { address, lease };
      }
    } else if (!postmaster?.isRunning && !start?.program.isRunning()) {
      if (!start) onProgress('Starting PostgreSQL…');
      else lastError = await start.program.failureReason();
      const next = start
        ? await retryStart(directory, start, lastError)
        : { attempt: await firstAttempt(directory, postmaster?.port || lastPort), failures: 0 };
      const stale = { settings: options.settings, stalePid: postmaster?.pid };
      start = { ...next, program: await startPostmaster(directory, { ...next.attempt, ...stale }) };
    }
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > joinTimeoutMs) throw startTimedOut(directory, lastError);
    if (waitedMs > reportAfterMs) {
      reportAfterMs = joinTimeoutMs;
      onProgress('PostgreSQL is not ready yet; it may be recovering from a crash…');
    }
    await pause(wait);
  }
}

function serverAddress({ directory, password }: JoinOptions, { port, hasSocket }: Postmaster): ServerAddress {
  const host = hasSocket ? dirname(socketFile(directory.path, port)) : '127.0.0.1';
  return { host, port, user: superuser, password };
}

async function retryStart(
  directory: ServerDirectory,
  { attempt, program, failures }: Start,
  reason: string,
): Promise<Pick<Start, 'attempt' | 'failures'>> {
  // The server started well, and other processes used and stopped it before this one could join.
  if (await program.exitedCleanly) return { attempt, failures };
  const next = await nextAttempt(directory, attempt, reason);
  if (next) return { attempt: next, failures };
  if (failures + 1 < maxFailures) return { attempt, failures: failures + 1 };
  throw new Error(`PostgreSQL did not start: ${reason} (see ${logFile(directory)})`);
}

/** Removes the sockets of killed servers. The lease on the server at `port` proves that no other server is running. */
async function removeStaleSockets(directory: ServerDirectory, port: number): Promise<void> {
  const current = basename(socketFile(directory.path, port));
  const folder = join(directory.path, 'socket');
  for (const name of await readdir(folder)) {
    if (name !== current && name !== `${current}.lock`) await rm(join(folder, name), { force: true });
  }
}

function connectionRefused(directory: ServerDirectory, error: Error): Error {
  if (error instanceof pg.DatabaseError && error.code === '28P01') {
    return new Error(
      `PostgreSQL refuses the password in ${join(directory.path, 'password')}: restore that file from a backup.`,
    );
  }
  return new Error(`PostgreSQL in ${directory.path} refuses the connection: ${error.message}`);
}

function startTimedOut(directory: ServerDirectory, lastError: string): Error {
  return new Error(
    `PostgreSQL is not ready after ${joinTimeoutMs / 1000} seconds${lastError && ` (${lastError})`}: ` +
      `it may still be recovering. Try again, or see ${logFile(directory)}.`,
  );
}
