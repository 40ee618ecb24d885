import type { SeedCounts, SystemCtx } from '@chowk/kit';

/** Step 3. */
export async function seedData({ platform }: SystemCtx): Promise<SeedCounts & { message: string }> {
  return { message: 'The essential data is there.', ...(await platform.seed()) };
}
