import { type Db, sql, systemJob, Type } from '@chowk/kit';

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
  await db.run(sql`DELETE FROM password_resets WHERE expires_at < ${now}`);
  await db.run(sql`DELETE FROM device_codes WHERE expires_at < ${now}`);
  await db.run(sql`DELETE FROM email_changes WHERE created_at < ${daysBefore(now, keepDays.emailChanges)}`);
  // Deletes their refresh tokens too. Below, the expired refresh tokens of sessions that continue.
  await db.run(sql`DELETE FROM sessions WHERE least(revoked_at, expires_at) < ${daysBefore(now, keepDays.sessions)}`);
  await db.run(sql`DELETE FROM refresh_tokens WHERE expires_at < ${now}`);
  await db.run(sql`DELETE FROM invitations WHERE expires_at < ${daysBefore(now, keepDays.invitations)}`);
  await db.run(sql`DELETE FROM activity_log WHERE at < ${daysBefore(now, keepDays.activity)}`);
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * 86_400_000);
}
