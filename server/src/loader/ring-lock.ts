import type { Config } from '../config/config.ts';
import { type LockFile, readLockFile } from './lock-file.ts';
import { ringLockFile } from './lock-path.ts';

/** The lock file of a ring and its path. */
export interface RingLock {
  readonly file: string;
  readonly lock: LockFile;
}

export async function readRingLock(
  config: Pick<Config, 'moduleLockPath' | 'ringName'>,
  ring: { readonly name: string; readonly manifest_path: string },
): Promise<RingLock> {
  const file = ringLockFile(config, ring);
  return { file, lock: await readLockFile(file) };
}
