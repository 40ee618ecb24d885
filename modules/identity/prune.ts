import { type Db, deleteInBatches, type Sql, sql, systemJob, Type } from '@chowk/kit';

const keepDays = { emailChanges: 30, invitations: 90, sessions: 30, activity: 400 };

export const pruneJobs = {
  'identity.prune': systemJob({
    data: Type.Object({}),
    schedule: '41 3 * * *',
    // It runs again the next night.
    retries: [],
    run: (ctx) => prune(ctx.central, ctx.now()),
  }),
};

/** Deletes rows that have expired. */
async function prune(db: Db, now: Date): Promise<void> {
  const before = (days: number) => daysBefore(now, days);
  await deleteInBatches(db, sql`password_resets`, sql`expires_at < ${now}`);
  await deleteInBatches(db, sql`device_codes`, sql`expires_at < ${now}`);
  // A used code is kept for a while, because using it again ends its session.
  await deleteInBatches(db, sql`authorization_codes`, sql`expires_at < ${before(1)}`);
  await deleteInBatches(db, sql`apps`, isUnapproved(before(1)));
  await deleteInBatches(db, sql`email_changes`, sql`created_at < ${before(keepDays.emailChanges)}`);
  // Deletes their refresh tokens too. Below, the expired refresh tokens of sessions that continue.
  await deleteInBatches(db, sql`sessions`, sql`least(revoked_at, expires_at) < ${before(keepDays.sessions)}`);
  await deleteInBatches(db, sql`refresh_tokens`, sql`expires_at < ${now}`);
  await deleteInBatches(db, sql`invitations`, sql`expires_at < ${before(keepDays.invitations)}`);
  await deleteInBatches(db, sql`activity_log`, sql`at < ${before(keepDays.activity)}`);
}

/** Apps that registered themselves and that nobody has approved. */
function isUnapproved(registeredBefore: Date): Sql {
  return sql`tenant_id IS NULL AND created_at < ${registeredBefore}
    AND NOT EXISTS (SELECT FROM app_grants g WHERE g.app_id = apps.id)`;
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * 86_400_000);
}
