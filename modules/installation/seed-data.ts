import type { SeedCounts, SystemCtx } from '@chowk/kit';

/** Step 3. */
export function seedData({ system }: SystemCtx): Promise<SeedCounts> {
  return system.seed();
}
