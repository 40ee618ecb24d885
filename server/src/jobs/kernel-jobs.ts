import { type Db, deleteInBatches, job, sql, systemJob, Type } from '@chowk/kit/kernel';

/** The kernel's own jobs: for every tenant, and for the central database. */
export const kernelJobs = {
  'kernel.prune': job({
    data: Type.Object({}),
    schedule: '17 3 * * *',
    /** Deletes expired audit entries, requests of clients and idempotency keys, and operations that may hold personal data. */
    async run(ctx) {
      const { 'audit.retention_days': days } = await ctx.settings();
      const isOld = sql`at < now() - make_interval(days => ${days})`;
      const isUnused = sql`last_seen_at < now() - interval '30 days'`;
      return {
        audit_lines: await deleteInBatches(ctx.db, sql`module_bus_audit_log`, isOld),
        idempotency_keys: await deleteExpiredKeys(ctx.db),
        requests: await deleteInBatches(ctx.db, sql`request_log`, sql`at < now() - interval '30 days'`),
        unregistered_operations: await deleteInBatches(ctx.db, sql`unregistered_operations`, isUnused),
      };
    },
  }),
  'kernel.prune_central': systemJob({
    data: Type.Object({}),
    schedule: '23 3 * * *',
    run: async (ctx) => ({
      idempotency_keys: await deleteExpiredKeys(ctx.central),
      call_counts: await deleteInBatches(ctx.central, sql`module_call_counts`, sql`hour < now() - interval '90 days'`),
    }),
  }),
};

function deleteExpiredKeys(db: Db): Promise<number> {
  return deleteInBatches(db, sql`idempotency_keys`, sql`expires_at < now()`);
}
