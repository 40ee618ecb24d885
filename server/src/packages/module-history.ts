import { type Db, sql } from '@chowk/kit/kernel';
import type { LockedModule } from '../loader/lock-file.ts';

/** A change of a module in a ring that `module:rollback` can undo. */
export interface PastChange {
  readonly operation: string;
  readonly from_value: string | null;
  readonly to_value: string | null;
  readonly status: 'done' | 'failed';
  readonly details: { readonly from?: LockedModule; readonly step?: string } | null;
}

/** The change that the next rollback undoes: the last one that none has undone yet. */
export async function findLastChange(db: Db, ring: string, alias: string): Promise<PastChange | undefined> {
  const undoable: PastChange[] = [];
  for (const change of await listChanges(db, ring, alias)) {
    if (change.operation === 'module.rollback') {
      undoable.pop();
      continue;
    }
    // The attempts that failed before a change was done need no rollback any more.
    if (change.status === 'done') while (undoable.at(-1)?.status === 'failed') undoable.pop();
    undoable.push(change);
  }
  return undoable.at(-1);
}

/** With the failed ones that may have changed data. */
function listChanges(db: Db, ring: string, alias: string): Promise<PastChange[]> {
  return db.rows<PastChange>(sql`
    SELECT operation, from_value, to_value, status, details FROM ring_operations
    WHERE ring = ${ring} AND alias = ${alias}
      AND operation IN ('module.install', 'module.upgrade', 'module.remove', 'module.rollback', 'promote')
      AND (status = 'done' OR details->>'step' IN ('migrate', 'hook', 'lock'))
      AND (status = 'failed' OR from_value IS DISTINCT FROM to_value)
    ORDER BY id`);
}
