import { countOf } from '../count-of.ts';
import { runChild } from './child-command.ts';
import type { RingModules } from './ring-modules.ts';

/* The steps of a change that run code of modules, each in a process of its own with the lock file that is given. */

/** What the steps need of the ring. */
type Ring = Pick<RingModules, 'config' | 'environment' | 'ring' | 'lock'>;

/** Loading takes a few seconds; more only if a module never finishes. */
const loadSeconds = 300;

/** Throws unless the modules of the lock file match it, load and work together. */
export async function verifyLock(modules: Ring, lockFile: string, alias: string, version?: string): Promise<void> {
  const { code, out, problem, isTimeout } = await runChild(['module:verify', '--json'], {
    environment: childEnvironment(modules, lockFile),
    // The parser of migrations is WebAssembly: optimizing it takes longer than the rest of the command.
    nodeOptions: ['--liftoff-only'],
    timeoutMs: loadSeconds * 1_000,
  });
  const rows = readRows<{ alias: string; state: string }>(out);
  // Code that exits with 0 when it is loaded has printed nothing.
  if (code === 0 && rows.length > 0) return;
  const problems = rows.filter(({ state }) => state !== 'ok').map((row) => `${row.alias}: ${row.state}`);
  const reason = isTimeout ? `it did not load within ${loadSeconds} seconds` : problem;
  const subject = version === undefined ? `the removal of ${alias}` : `${alias} ${version}`;
  throw new Error(`${subject} is refused on the ring ${modules.ring}: ${problems.join('; ') || reason}`);
}

/** Migrates the central database and the tenants of the ring. */
export async function migrateRing(modules: Ring, lockFile: string, alias: string): Promise<void> {
  const { code, out, problem } = await runChild(['migrate', '--own-ring', '--json'], {
    environment: childEnvironment(modules, lockFile),
  });
  const results = readRows<{ failed: { id: string; error: string }[] }>(out);
  if (code === 0 && results.length > 0) return;
  const failed = results.flatMap((result) => result.failed);
  const [first] = failed;
  const reason = first ? `${countOf(failed.length, 'tenant')}, the first is ${first.id}: ${first.error}` : problem;
  throw new Error(`the databases were not migrated (${reason}); ${whatNext(modules, alias)}`);
}

export interface HookRun {
  readonly alias: string;
  readonly hook: 'install' | 'upgrade' | 'uninstall';
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The lines with which `module:hook` reports its progress. A hook may print others. */
export const hookLines = { tenant: 'module:hook: tenant ', done: 'module:hook: done' };

export async function runHook(modules: Ring, lockFile: string, run: HookRun): Promise<void> {
  const { alias, hook, from, to } = run;
  const seconds = modules.config.moduleHookTimeoutSeconds;
  const change = [...(from === undefined ? [] : [`--from=${from}`]), ...(to === undefined ? [] : [`--to=${to}`])];
  const { code, out, problem, isTimeout } = await runChild(['module:hook', alias, hook, ...change], {
    environment: childEnvironment(modules, lockFile),
    timeoutMs: loadSeconds * 1_000,
    limitAfter(line) {
      if (line.startsWith(hookLines.tenant)) return seconds * 1_000;
      // Timers that hooks have left would keep the process alive.
      return line === hookLines.done ? 10_000 : undefined;
    },
  });
  // Code that exits with 0 has not finished.
  const isDone = out.includes(hookLines.done);
  if (isDone && (code === 0 || isTimeout)) return;
  const tenant = out.findLast((line) => line.startsWith(hookLines.tenant))?.slice(hookLines.tenant.length);
  const limit = tenant === undefined ? loadSeconds : seconds;
  const reason = isTimeout ? `it took longer than ${limit} seconds` : problem;
  throw new Error(
    `the ${hook} hook of ${alias} failed${tenant === undefined ? '' : ` for the tenant ${tenant}`}: ${reason}; ${whatNext(modules, alias)}`,
  );
}

function whatNext({ ring, lock }: Ring, alias: string): string {
  const version = lock.modules[alias]?.version;
  const state =
    version === undefined ? `the ring ${ring} stays without ${alias}` : `the ring ${ring} stays on ${alias} ${version}`;
  return `${state}. Correct the cause and run the command again, or run 'chowkd module:rollback ${alias} --ring=${ring}'`;
}

function childEnvironment({ environment, ring }: Ring, lockFile: string): NodeJS.ProcessEnv {
  return { ...environment, RING_NAME: ring, MODULE_LOCK_PATH: lockFile };
}

/** The rows that a command prints with `--json`, after what modules may print; none if it failed before. */
function readRows<Row>(lines: readonly string[]): Row[] {
  try {
    return JSON.parse(lines.slice(lines.lastIndexOf('[')).join('\n'));
  } catch {
    return [];
  }
}
