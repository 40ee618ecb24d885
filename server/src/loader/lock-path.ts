import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';

export const repository = resolve(import.meta.dirname, '../../..');

export function ringLockPath(ring: string): string {
  return `modules/manifests/${ring}.lock.json`;
}

/** `MODULE_LOCK_PATH`, else the lock file of this process's ring, else the default lock file. */
export function lockPath({ moduleLockPath, ringName }: Pick<Config, 'moduleLockPath' | 'ringName'>): string {
  if (moduleLockPath !== undefined) return moduleLockPath;
  const ringPath = ringLockPath(ringName);
  return existsSync(join(repository, ringPath)) ? ringPath : 'modules/manifest.lock.json';
}
