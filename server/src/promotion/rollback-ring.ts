import { isDeepStrictEqual } from 'node:util';
import { type Db, sql } from '@chowk/kit/kernel';
import type { Kernel } from '../kernel.ts';
import type { LockFile } from '../loader/lock-file.ts';
import { findModuleFolder } from '../loader/module-folders.ts';
import { readRingLock } from '../loader/ring-lock.ts';
import { replaceLock } from '../packages/replace-lock.ts';
import { requireRing } from '../tenancy/rings.ts';

interface Change {
  readonly id: string;
  readonly at: string;
  readonly operation: string;
  readonly alias: string | null;
  readonly from_value: string | null;
  readonly to_value: string | null;
  readonly details: { readonly lock: LockFile; readonly previous_lock: LockFile };
}

export interface RollbackResult {
  readonly ring: string;
  readonly file: string;
  readonly undone: string;
  /** The versions that change; null for a module that one of the files does not have. */
  readonly modules: readonly { alias: string; from: string | null; to: string | null }[];
}

/** Restores the lock file that the latest change of the ring has replaced. Repeated, it goes further back. */
export async function rollbackRing(
  { config, central }: Kernel,
  name: string,
  {
    operator,
    reason,
    force,
  }: { readonly operator: string; readonly reason: string | undefined; readonly force: boolean },
): Promise<RollbackResult> {
  const ring = await requireRing(central.db, name);
  const { file, lock } = await readRingLock(config, ring);
  const change = await findLatestChange(central.db, name);
  if (!change) throw new Error(`no change of the lock file of ${name} is left to undo; see 'chowkd ring:history'`);
  const { id, at, operation, alias, from_value, to_value, details } = change;
  const undone = `${operation} ${alias ?? ''} ${to_value ?? ''} of ${at}`;
  if (!isDeepStrictEqual(lock.modules, details.lock.modules) && !force) {
    throw new Error(
      `${file} was changed after ${undone}; --force restores the file as it was before that, without the later change`,
    );
  }
  for (const [module, locked] of Object.entries(details.previous_lock.modules)) {
    await findModuleFolder(config, module, locked);
  }
  await replaceLock(
    central.db,
    { file, from: lock, to: details.previous_lock },
    {
      operator,
      operation: 'rollback',
      ring: name,
      ...(alias === null ? {} : { alias }),
      from_value: to_value ?? undefined,
      to_value: from_value ?? undefined,
      forced: force,
      reason,
      details: { undone: id },
    },
  );
  return { ring: name, file, undone, modules: changedVersions(lock, details.previous_lock) };
}

/** The latest change of the lock file that no rollback has undone. */
function findLatestChange(db: Db, ring: string): Promise<Change | undefined> {
  return db.row<Change>(sql`
    SELECT id, at, operation, alias, from_value, to_value, details FROM ring_operations o
    WHERE ring = ${ring} AND status = 'done' AND operation <> 'rollback' AND details ? 'previous_lock'
      AND NOT EXISTS (SELECT FROM ring_operations r
        WHERE r.ring = o.ring AND r.operation = 'rollback' AND r.details->>'undone' = o.id::text)
    ORDER BY id DESC LIMIT 1`);
}

function changedVersions(from: LockFile, to: LockFile): RollbackResult['modules'] {
  const aliases = [...new Set([...Object.keys(from.modules), ...Object.keys(to.modules)])].sort();
  return aliases
    .filter((alias) => !isDeepStrictEqual(from.modules[alias], to.modules[alias]))
    .map((alias) => ({
      alias,
      from: from.modules[alias]?.version ?? null,
      to: to.modules[alias]?.version ?? null,
    }));
}
