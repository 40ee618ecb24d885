import { changesBetween, type Db, type Sql, type SystemCtx, sql } from '@chowk/kit';
import { isShownEmailVerified, shownEmail } from '../accounts/users.ts';
import { record } from '../activity/activity.ts';
import type { Profile, ProfileChanges } from '../schemas.ts';

export function getProfile(ctx: SystemCtx): Promise<Profile> {
  return readProfile(ctx, ctx.central, sql``);
}

export function updateProfile(ctx: SystemCtx, changes: ProfileChanges): Promise<Profile> {
  return ctx.central.tx(async (tx) => {
    const current = await readProfile(ctx, tx, sql`FOR UPDATE`);
    ctx.mustMatch(current);
    ctx.audit(changesBetween<Profile>(current, changes));
    const { id, name, locale, timezone } = { ...current, ...changes };
    await tx.run(sql`
      UPDATE users SET name = ${name}, locale = ${locale}, timezone = ${timezone}, updated_at = ${ctx.now()}
      WHERE id = ${id}`);
    await record(ctx, { action: 'profile_updated', details: { fields: Object.keys(changes) } }, tx);
    return readProfile(ctx, tx, sql``);
  });
}

async function readProfile(ctx: SystemCtx, db: Db, lock: Sql): Promise<Profile> {
  const profile = await db.row<Profile>(sql`
    SELECT u.id, u.name, ${shownEmail} AS email, ${isShownEmailVerified} AS email_verified, u.email AS sign_in_email,
      u.two_factor_confirmed_at IS NOT NULL AS two_factor_enabled, u.locale, u.timezone,
      u.password_hash IS NOT NULL AS has_password, u.created_at, u.updated_at
    FROM users u WHERE u.id = ${ctx.user.id} ${lock}`);
  if (!profile) throw new Error('the signed-in user does not exist any more');
  return profile;
}
