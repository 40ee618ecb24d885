import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { ServerAddress } from '../server-address.ts';
import { superuser } from './cluster.ts';
import type { Home } from './home.ts';
import { isPassing, type Keeper, takePlace } from './keeper.ts';
import { firstPlan, launch, nextPlan, type Plan } from './launch.ts';
import { findPostmaster, type Postmaster, socketFile } from './postmaster.ts';
import { logFile, type Run } from './process.ts';

/** What entering a server needs to know. */
export interface Visit {
  readonly home: Home;
  readonly password: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** A server that runs, and our place among its users. */
export interface Stay {
  readonly address: ServerAddress;
  readonly keeper: Keeper;
}

interface Start {
  readonly plan: Plan;
  readonly run: Run;
  /** How many before it failed for a reason that another plan does not help against. */
  readonly failures: number;
}

/** What fails as often as this was no accident of others coming and going at the same moment. */
const mostFailures = 3;

const limitMs = 60_000;
const longMs = 3_000;

/**
 * Joins the server of the folder, starting it if there is none. Any number of processes may do so at once while others
 * leave and servers come and go: each round looks at what is there and takes the one step that helps.
 */
export async function enter(visit: Visit, lastPort?: number): Promise<Stay> {
  const { home, say, signal } = visit;
  const began = Date.now();
  let start: Start | undefined;
  let trouble = '';
  let patience = longMs;
  for (let wait = 10; ; wait = Math.min(wait * 1.3, 250)) {
    // A server that we have started ourselves is entered first: nobody else may come to stop it.
    if (!start?.run.running()) signal.throwIfAborted();
    const postmaster = await findPostmaster(home.folder);
    if (postmaster?.ready) {
      const address = addressOf(visit, postmaster);
      const keeper = await takePlace(address).catch((error: Error) => {
        if (!isPassing(error)) throw refusal(home, error);
        trouble = error.message;
      });
      if (keeper) {
        if (start) await sweepSockets(home, postmaster.port);
        return { address, keeper };
      }
    } else if (!postmaster?.running && !start?.run.running()) {
      if (!start) say('Starting PostgreSQL…');
      else trouble = await start.run.complaint();
      const next = start
        ? await planAgain(home, start, trouble)
        : { plan: await firstPlan(home, postmaster?.port || lastPort), failures: 0 };
      const run = await launch(home, { ...next.plan, settings: visit.settings, deadPid: postmaster?.pid });
      start = { ...next, run };
    }
    const waited = Date.now() - began;
    if (waited > limitMs) throw late(home, trouble);
    if (waited > patience) {
      patience = limitMs;
      say('PostgreSQL is not ready yet; after a crash it first recovers what was committed…');
    }
    await pause(wait);
  }
}

function addressOf({ home, password }: Visit, { port, onSocket }: Postmaster): ServerAddress {
  return { host: onSocket ? dirname(socketFile(home.folder, port)) : '127.0.0.1', port, user: superuser, password };
}

async function planAgain(
  home: Home,
  { plan, run, failures }: Start,
  complaint: string,
): Promise<Pick<Start, 'plan' | 'failures'>> {
  // Others came, used the server we started and stopped it again before we got in.
  if (await run.ended) return { plan, failures };
  const next = await nextPlan(home, plan, complaint);
  if (next) return { plan: next, failures };
  if (failures + 1 < mostFailures) return { plan, failures: failures + 1 };
  throw new Error(`PostgreSQL did not start: ${complaint} (see ${logFile(home)})`);
}

/** Removes what killed servers left. While we hold a place in the server at `port`, there can be no other one. */
async function sweepSockets(home: Home, port: number): Promise<void> {
  const kept = basename(socketFile(home.folder, port));
  const folder = join(home.folder, 'socket');
  for (const name of await readdir(folder)) {
    if (name !== kept && name !== `${kept}.lock`) await rm(join(folder, name), { force: true });
  }
}

function refusal(home: Home, error: Error): Error {
  if (error instanceof pg.DatabaseError && error.code === '28P01') {
    return new Error(
      `PostgreSQL refuses the password in ${join(home.folder, 'password')}: restore that file from a backup.`,
    );
  }
  return new Error(`PostgreSQL in ${home.folder} refuses the connection: ${error.message}`);
}

function late(home: Home, trouble: string): Error {
  return new Error(
    `PostgreSQL is not ready after ${limitMs / 1000} seconds${trouble && ` (${trouble})`}: ` +
      `it may still be recovering, so try again, or look into ${logFile(home)}.`,
  );
}
