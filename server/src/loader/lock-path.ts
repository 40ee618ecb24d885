import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';

const repository = resolve(import.meta.dirname, '../../..');

/** The lock file of this process's ring: the one named in the environment, the ring's own, or everyone's. */
export function lockPath({ moduleLockPath, ringName }: Config): string {
  if (moduleLockPath !== undefined) return moduleLockPath;
  const own = `modules/manifests/${ringName}.lock.json`;
  return existsSync(join(repository, own)) ? own : 'modules/manifest.lock.json';
}
