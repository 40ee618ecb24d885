import type { Config } from '../config/config.ts';
import { type LockFile, readLockFile } from '../loader/lock-file.ts';
import { ringLockFile } from '../loader/lock-path.ts';
import { operatorName } from '../operator-name.ts';
import { type Central, runExclusively } from '../tenancy/central-database.ts';
import { requireRing } from '../tenancy/rings.ts';

/** The modules of a ring, while no other command changes those of any ring. */
export interface RingModules {
  readonly config: Config;
  readonly environment: NodeJS.ProcessEnv;
  readonly central: Central;
  /** The name of the ring. */
  readonly ring: string;
  readonly file: string;
  readonly lock: LockFile;
  readonly operator: string;
  /** Why, for the history. */
  readonly reason: string | undefined;
  /** Writes a line for the operator. */
  readonly progress: (line: string) => void;
}

interface Options extends Pick<RingModules, 'config' | 'environment' | 'central' | 'ring' | 'reason' | 'progress'> {}

/** Runs `work` when no other process changes modules. */
export async function withRingModules<Result>(
  options: Options,
  work: (modules: RingModules) => Promise<Result>,
): Promise<Result> {
  const { config, central } = options;
  const ring = await requireRing(central.db, options.ring);
  return runExclusively(central, 'change modules', async () => {
    const file = ringLockFile(config, ring);
    return work({ ...options, file, lock: await readLockFile(file), operator: operatorName() });
  });
}
