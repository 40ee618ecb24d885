import { isDeepStrictEqual } from 'node:util';
import type { Db } from '@chowk/kit/kernel';
import { type LockFile, readLockFile, replaceLockFile } from '../loader/lock-file.ts';
import { lockRing } from '../tenancy/manage-rings.ts';
import { failOperation, type RingOperation, recordOperation } from '../tenancy/rings.ts';

interface Replacement {
  readonly file: string;
  readonly from: LockFile;
  readonly to: LockFile;
}

/** Replaces the lock file of a ring, keeps the one before beside it, and records both in the history. */
export async function replaceLock(
  central: Db,
  { file, from, to }: Replacement,
  operation: RingOperation & { readonly details?: object },
): Promise<void> {
  // The transaction only holds the lock: the history is committed before the file is written, so that no change is without a row.
  await central.tx(async (tx) => {
    await lockRing(tx, operation.ring);
    const { modules } = await readLockFile(file);
    if (!isDeepStrictEqual(modules, from.modules)) {
      throw new Error(`${file} was changed by another command; run the command again`);
    }
    const details = { ...operation.details, file, previous_lock: from, lock: to };
    const id = await recordOperation(central, { ...operation, details });
    await replaceLockFile(file, from, to).catch(async (error) => {
      await failOperation(central, id);
      throw error;
    });
  });
}
