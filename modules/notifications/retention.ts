import { type Ctx, deleteInBatches, type JobTypes, job, sql, Type } from '@chowk/kit';
import { pruneGroups } from './groups.ts';

export const retentionJobs = {
  'notifications.prune': job({ data: Type.Object({}), schedule: '50 3 * * *', run: pruneNotifications }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof retentionJobs> {}
}

async function pruneNotifications(ctx: Ctx): Promise<{ deleted: number }> {
  const { 'notifications.retention_days': days } = await ctx.settings();
  const before = new Date(ctx.now().getTime() - days * 24 * 3_600_000);
  await pruneGroups(ctx);
  return { deleted: await deleteInBatches(ctx.db, sql`notifications`, sql`created_at < ${before}`) };
}
