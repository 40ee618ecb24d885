import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import type { Home } from './home.ts';
import { mark, socketFile } from './postmaster.ts';
import { type Run, runProgram, seenFromInside } from './process.ts';
import { serverSettings } from './settings.ts';

/** One try at starting the server. */
export interface Plan {
  readonly port: number;
  readonly onSocket: boolean;
  readonly portsLeft: number;
  /** How often an empty `postmaster.pid` is still taken for one that is being written. */
  readonly emptyLeft: number;
}

/** The kernel takes 108 bytes (macOS 104); a little is left for the storage folder's path to be respelled. */
const longestSocketPath = 100;

export async function firstPlan(home: Home, port: number | undefined): Promise<Plan> {
  const onSocket = Buffer.byteLength(socketFile(home.folder, 65_535)) <= longestSocketPath;
  return { port: port ?? (await freePort()), onSocket, portsLeft: 5, emptyLeft: 15 };
}

/** What to do after a start that failed; `undefined` when trying again would not help. */
export async function nextPlan(home: Home, plan: Plan, complaint: string): Promise<Plan | undefined> {
  // Another process was faster; by the time we look again its server is there, or gone.
  if (/lock file ".*" already exists/.test(complaint)) return plan;
  // Another process is just writing it, or a power cut came before it was written; only time tells which.
  if (/lock file ".*" is empty/.test(complaint)) {
    if (plan.emptyLeft === 0) await removeIfEmpty(join(home.folder, 'data', 'postmaster.pid'));
    return { ...plan, emptyLeft: Math.max(0, plan.emptyLeft - 1) };
  }
  // The server was killed and its last sessions are still ending.
  if (/pre-existing shared memory block/.test(complaint)) return plan;
  if (/could not create any TCP/.test(complaint) && plan.portsLeft > 0) {
    return { ...plan, port: await freePort(), portsLeft: plan.portsLeft - 1 };
  }
  // Some file systems that containers mount hold no sockets.
  if (/could not create any Unix-domain sockets/.test(complaint)) return { ...plan, onSocket: false };
  return undefined;
}

export interface Launch extends Plan {
  /** Settings that replace ours. */
  readonly settings: Readonly<Record<string, string>>;
  /** The process named by the `postmaster.pid` that a dead server left. */
  readonly deadPid: number | undefined;
}

export async function launch(home: Home, { port, onSocket, settings, deadPid }: Launch): Promise<Run> {
  const all = {
    ...serverSettings(),
    ...settings,
    port: `${port}`,
    listen_addresses: '127.0.0.1',
    // A list: quoted, a comma in the path does not part it.
    unix_socket_directories: onSocket ? `"${seenFromInside(home, 'socket').replaceAll('"', '""')}"` : '',
  };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const run = await runProgram(
    home,
    'postgres',
    ['-D', seenFromInside(home, 'data'), ...args, '-c', mark(home.folder)],
    {
      // PostgreSQL refuses to start while the process in postmaster.pid lives, whatever that process is; only its
      // grandparent is exempt. So we name the stranger as the grandparent. Removing the file ourselves would take away
      // what keeps two servers, started at the same moment, out of one cluster: now PostgreSQL replaces it, after
      // checking that no session of the dead server is left.
      ...(deadPid && { PG_GRANDPARENT_PID: `${deadPid}` }),
    },
  );
  run.letGo();
  return run;
}

async function removeIfEmpty(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.size === 0) await rm(file, { force: true });
}
