import { deleteInBatches, sql, systemJob, Type } from '@chowk/kit';

const keepDays = 30;

export const jobs = {
  'releases.prune': systemJob({
    data: Type.Object({}),
    schedule: '17 4 * * *',
    // It runs again the next night.
    retries: [],
    run: async ({ central, now }) => {
      const before = new Date(now().getTime() - keepDays * 86_400_000);
      await deleteInBatches(central, sql`release_manifests`, sql`used_at < ${before}`);
    },
  }),
};
