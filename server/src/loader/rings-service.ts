import type { RingsService } from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import { readLockFile } from './lock-file.ts';
import { ringLockFile } from './lock-path.ts';

/** `ctx.system.rings`. */
export function ringsService(config: Config, assign: RingsService['assign']): RingsService {
  return {
    async versions(ring) {
      // Another machine may have the lock file of another ring.
      const lock = await readLockFile(ringLockFile(config, ring)).catch(() => undefined);
      if (!lock) return undefined;
      return Object.fromEntries(Object.entries(lock.modules).map(([alias, { version }]) => [alias, version]));
    },
    assign,
  };
}
