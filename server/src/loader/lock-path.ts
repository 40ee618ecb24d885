import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';

export const repository = resolve(import.meta.dirname, '../../..');

/** The lock file of a ring of its own. */
export function ringLockPath(ring: string): string {
  return `modules/manifests/${ring}.lock.json`;
}

/** The lock file of this process's ring: the one named in the environment, the ring's own, or everyone's. */
export function lockPath({ moduleLockPath, ringName }: Pick<Config, 'moduleLockPath' | 'ringName'>): string {
  if (moduleLockPath !== undefined) return moduleLockPath;
  const own = ringLockPath(ringName);
  return existsSync(join(repository, own)) ? own : 'modules/manifest.lock.json';
}
