import { changesBetween, type Db, empty, type Sql, type SystemCtx, sql } from '@chowk/kit';
import { record } from '../activity/activity.ts';
import type { Profile, ProfileChanges } from '../schemas.ts';
import { summaryOf } from '../sign-in/me.ts';

export function getProfile(ctx: SystemCtx): Promise<Profile> {
  return readProfile(ctx, ctx.central, empty);
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
    return readProfile(ctx, tx, empty);
  });
}

async function readProfile(ctx: SystemCtx, db: Db, lock: Sql): Promise<Profile> {
  const row = await db.row<Omit<Profile, 'id'>>(sql`
    SELECT name, locale, timezone, password_hash IS NOT NULL AS has_password, created_at, updated_at FROM users
    WHERE id = ${ctx.user.id} ${lock}`);
  if (!row) throw new Error('the signed-in user does not exist any more');
  return { ...summaryOf(ctx.user), ...row };
}
