import { type Ctx, deleteInBatches, type JobsOf, job, type SettingsOf, setting, sql, Type } from '@chowk/kit';

export const settings = {
  'notifications.retention_days': setting({
    schema: Type.Integer({ minimum: 1, maximum: 3650 }),
    default: 180,
    description: 'The number of days that notifications are kept.',
  }),
};

export const retentionJobs = {
  'notifications.prune': job({ data: Type.Object({}), schedule: '50 3 * * *', run: pruneNotifications }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobsOf<typeof retentionJobs> {}
  interface Settings extends SettingsOf<typeof settings> {}
}

async function pruneNotifications(ctx: Ctx): Promise<{ deleted: number }> {
  const { 'notifications.retention_days': days } = await ctx.settings();
  const before = new Date(ctx.now().getTime() - days * 24 * 3_600_000);
  return { deleted: await deleteInBatches(ctx.db, sql`notifications`, sql`created_at < ${before}`) };
}
