import { job, sql, Type } from '@chowk/kit';

/** The kernel's own jobs, for every tenant. */
export const kernelJobs = {
  'kernel.prune': job({
    data: Type.Object({}),
    schedule: '17 3 * * *',
    /** Deletes expired audit entries and idempotency keys. */
    async run(ctx) {
      const { 'audit.retention_days': days } = await ctx.settings();
      return {
        audit_lines: await ctx.db.run(
          sql`DELETE FROM module_bus_audit_log WHERE at < now() - make_interval(days => ${days})`,
        ),
        idempotency_keys: await ctx.db.run(sql`DELETE FROM idempotency_keys WHERE expires_at < now()`),
      };
    },
  }),
};
