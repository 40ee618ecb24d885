import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';

export const repository = resolve(import.meta.dirname, '../../..');

export function ringLockPath(ring: string): string {
  return `modules/manifests/${ring}.lock.json`;
}

/**
 * The absolute path of the lock file of any ring, which commands read and write: that of this process's ring as
 * `lockPath` finds it, else `modules/manifests/<ring>.lock.json` if it exists, else the path in the ring's row.
 */
export function ringLockFile(
  config: Pick<Config, 'moduleLockPath' | 'ringName'>,
  { name, manifest_path }: { readonly name: string; readonly manifest_path: string },
): string {
  const own = name === config.ringName ? config.moduleLockPath : undefined;
  const path = ringLockPath(name);
  return resolve(repository, own ?? (existsSync(join(repository, path)) ? path : manifest_path));
}

/** `MODULE_LOCK_PATH`, else the lock file of this process's ring, else the default lock file. */
export function lockPath({ moduleLockPath, ringName }: Pick<Config, 'moduleLockPath' | 'ringName'>): string {
  if (moduleLockPath !== undefined) return moduleLockPath;
  const ringPath = ringLockPath(ringName);
  return existsSync(join(repository, ringPath)) ? ringPath : 'modules/manifest.lock.json';
}
