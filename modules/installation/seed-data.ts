import type { SeedCounts, SystemCtx } from '@chowk/kit';

/** Step 3. */
export function seedData({ platform }: SystemCtx): Promise<SeedCounts> {
  return platform.seed();
}
