import { job, sql, Type } from '@chowk/kit';

/** What the platform itself does in the background, for every tenant. */
export const kernelJobs = {
  'kernel.prune': job({
    data: Type.Object({}),
    schedule: '17 3 * * *',
    /** Forgets what is older than anyone asks for. */
    async run(ctx) {
      const { 'audit.retention_days': days } = await ctx.settings();
      await ctx.db.run(sql`DELETE FROM module_bus_audit_log WHERE at < now() - make_interval(days => ${days})`);
      await ctx.db.run(sql`DELETE FROM idempotency_keys WHERE expires_at < now()`);
    },
  }),
};
