import { type Db, sql } from '@chowk/kit/kernel';
import { migrationLock } from '../db/migrations.ts';
import { type Central, databaseExists, dropDatabase, runIfUnlocked } from './central-database.ts';
import { copyTables } from './move-copy.ts';
import { fence, keptName, removeFence, retire, waitForTransactions } from './move-fence.ts';
import {
  beginMove,
  isUndone,
  listMoves,
  type Move,
  type MoveRow,
  readMove,
  recordStep,
  switchServer,
} from './move-record.ts';
import {
  dropPublication,
  dropSlots,
  dropSubscription,
  replicationProblem,
  startReplication,
  waitForCopy,
  waitForReplay,
} from './move-replication.ts';
import { copySequences, inDatabase, schemaDifference, truncateAll } from './move-schema.ts';
import { settleRestore } from './restore-record.ts';
import type { TenantDatabases } from './tenant-databases.ts';

type OnProgress = (line: string) => void | Promise<void>;

export interface MoveOptions {
  /** The name of the target. */
  readonly to: string;
  /** Keeps the old database under another name. */
  readonly keep?: boolean;
  /** Pauses the tenant during the whole copy, which needs no connection between the servers. */
  readonly isOffline?: boolean;
  /** How long running transactions may take to finish, in milliseconds. */
  readonly graceMs?: number;
  /** Called with each step, which waits for it, and with the progress of the copy. */
  readonly onProgress?: OnProgress;
}

export interface MoveResult {
  readonly from: string;
  readonly to: string;
  /** How long the tenant could not be used; unknown if the move was only finished. */
  readonly pausedMs: number | undefined;
  /** The name of the old database, if it was kept. */
  readonly kept: string | undefined;
}

const defaultGraceMs = 5_000;
/** The move is undone if the last changes take longer. */
const maxReplayMs = 30_000;
const lockName = (tenantId: string) => `move tenant ${tenantId}`;

/**
 * Moves a tenant to another database server. The target copies and follows the source; then the tenant is paused until the
 * target has the last change. Every step is recorded before its effect, so that an interrupted move can be settled.
 */
export async function moveTenant(
  central: Central,
  databases: TenantDatabases,
  tenantId: string,
  options: MoveOptions,
): Promise<MoveResult> {
  let result: MoveResult | undefined;
  const hasRun = await runIfUnlocked(central, lockName(tenantId), async () => {
    await settleRestore(central, tenantId);
    const finished = await settle(central, tenantId, options.onProgress);
    result =
      finished?.to === options.to
        ? finished
        : await move(central, databases, await beginMove(central, tenantId, options), options);
  });
  if (!hasRun || !result) throw new Error(`${tenantId} is being moved by another process`);
  return result;
}

/** Runs while the tenant is not moved. */
export async function whileNotMoving<Result>(
  central: Central,
  tenantId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  let result: { readonly value: Result } | undefined;
  const hasRun = await runIfUnlocked(central, lockName(tenantId), async () => {
    const move = await central.db.row(sql`SELECT FROM tenant_moves WHERE tenant_id = ${tenantId}`);
    if (move) throw new Error(`a move of ${tenantId} was interrupted; run 'chowkd tenant:doctor --repair' first`);
    result = { value: await work() };
  });
  if (!hasRun || !result) throw new Error(`${tenantId} is being moved to another server`);
  return result.value;
}

/** Finishes or undoes an interrupted move, unless a process is working on it. */
export async function settleMove(central: Central, tenantId: string): Promise<void> {
  await runIfUnlocked(central, lockName(tenantId), async () => void (await settle(central, tenantId)));
}

/** Moves that no process is working on. */
export async function listInterruptedMoves(central: Central): Promise<MoveRow[]> {
  const interrupted: MoveRow[] = [];
  for (const row of await listMoves(central.db)) {
    await runIfUnlocked(central, lockName(row.tenant_id), async () => void interrupted.push(row));
  }
  return interrupted;
}

async function move(
  central: Central,
  databases: TenantDatabases,
  current: Move,
  { isOffline = false, graceMs = defaultGraceMs, onProgress = () => {} }: MoveOptions,
): Promise<MoveResult> {
  const { source, target } = current;
  let pausedAt = 0;
  let pausedMs = 0;
  try {
    const problem = isOffline ? 'as requested' : await replicationProblem(current);
    await onProgress(
      problem
        ? `The tenant is paused during the whole copy: ${problem}.`
        : `The tenant stays in use while it is copied to ${target.name}.`,
    );
    await databases.copyTemplate(current.database, target);
    await withoutMigrations(current, async () => {
      if (!problem) await follow(current, onProgress);
      pausedAt = performance.now();
      await recordStep(central.db, current, 'copying', 'paused');
      await onProgress('paused');
      await waitForTransactions(source, current.database, graceMs);
    });
    await fence(source, current.database);
    await onProgress('fenced');
    await transferRest(current, problem === undefined, onProgress);
    await onProgress('replayed');
    await switchServer(central.db, current);
    pausedMs = Math.round(performance.now() - pausedAt);
    await onProgress('switched');
  } catch (error) {
    await undo(central.db, current).catch((failure: Error) =>
      onProgress(`The move could not be undone: ${failure.message}. Run the command again.`),
    );
    throw error;
  }
  const kept = await finish(central.db, current).catch((cause: Error) => {
    const problem = `the old database on ${source.name} could not be removed: ${cause.message}`;
    throw new Error(`${current.tenantId} is on ${target.name} now, but ${problem}; run the command again`, { cause });
  });
  return { from: source.name, to: target.name, pausedMs, kept };
}

/** Replication does not carry changes of the schema, so that migrations wait until the tenant is paused. */
async function withoutMigrations({ source, target, database }: Move, work: () => Promise<void>): Promise<void> {
  await inDatabase(source, database, async (connection) => {
    await connection.query(sql`SELECT pg_advisory_lock(${migrationLock})`);
    const difference = await inDatabase(target, database, (other) => schemaDifference(connection, other));
    if (difference) {
      throw new Error(
        `the schema of the tenant is not that of this version (${difference}); run 'chowkd migrate' first`,
      );
    }
    await work();
    // Fails if the session, and with it the lock, was lost.
    await connection.query(sql`SELECT 1`);
  });
}

async function follow(current: Move, onProgress: OnProgress): Promise<void> {
  await inDatabase(current.target, current.database, truncateAll);
  await startReplication(current);
  await onProgress('following');
  await waitForCopy(current, tableProgress(onProgress));
  await inDatabase(current.target, current.database, (connection) => connection.script('ANALYZE'));
  await waitForReplay(current, 24 * 3_600_000);
  await onProgress('copied');
}

async function transferRest(current: Move, isFollowing: boolean, onProgress: OnProgress): Promise<void> {
  const { source, target, database } = current;
  if (isFollowing) await waitForReplay(current, maxReplayMs);
  await inDatabase(source, database, (from) =>
    inDatabase(target, database, async (to) => {
      if (!isFollowing) {
        await copyTables(from, to, tableProgress(onProgress));
        await to.script('ANALYZE');
      }
      await copySequences(from, to);
    }),
  );
}

/** Reports each change of the number of copied tables. */
function tableProgress(onProgress: OnProgress): (done: number, total: number) => void {
  let last: number | undefined;
  return (done, total) => {
    if (done !== last) void onProgress(`copied ${done} of ${total} tables`);
    last = done;
  };
}

/** Returns the result of a move that only had to be finished. */
async function settle(
  central: Central,
  tenantId: string,
  onProgress: OnProgress = () => {},
): Promise<MoveResult | undefined> {
  const row = (await listMoves(central.db)).find(({ tenant_id }) => tenant_id === tenantId);
  if (!row) return undefined;
  const { step } = row;
  const interrupted = readMove(central, row);
  const { source, target } = interrupted;
  await onProgress(
    `An earlier move to ${target.name} was interrupted: ${step === 'switched' ? 'finishing' : 'undoing'} it.`,
  );
  if (step !== 'switched') {
    await undo(central.db, interrupted);
    return undefined;
  }
  return { from: source.name, to: target.name, pausedMs: undefined, kept: await finish(central.db, interrupted) };
}

/** Removes the source, which is not in use any more. Returns the new name of the database if it is kept. */
async function finish(db: Db, current: Move): Promise<string | undefined> {
  const { source, database, keep } = current;
  await dropSubscription(current);
  await dropSlots(current);
  const kept = keep ? keptName(database, current.id.slice(0, 8)) : undefined;
  if (await databaseExists(source, database)) {
    if (kept) {
      await dropPublication(current);
      await retire(source, database, kept);
    } else await dropDatabase(source, database);
  }
  await db.run(sql`DELETE FROM tenant_moves WHERE id = ${current.id} AND step = 'switched'`);
  return kept;
}

/** Lets the tenant continue on the source at once, then removes the target. */
async function undo(db: Db, current: Move): Promise<void> {
  const { source, target, database, id } = current;
  // Recorded first: from then on the switch is impossible.
  const changed = await db.run(sql`
    UPDATE tenant_moves SET step = 'undoing' WHERE id = ${id} AND step IN ('copying', 'paused', 'undoing')`);
  if (changed === 0 && !(await isUndone(db, current))) throw new Error('another process has ended this move');
  await removeFence(source, database);
  if (await databaseExists(target, database)) {
    await dropSubscription(current);
    await dropDatabase(target, database);
  }
  await dropSlots(current);
  await dropPublication(current);
  await db.run(sql`DELETE FROM tenant_moves WHERE id = ${id} AND step = 'undoing'`);
}
