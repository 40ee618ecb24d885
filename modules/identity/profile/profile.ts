import { invalid, type Sql, type Static, type SystemCtx, sql } from '@chowk/kit';
import { record } from '../activity/activity.ts';
import type { Profile, ProfileChanges } from '../schemas.ts';
import { summaryOf } from '../sign-in/me.ts';

interface ProfileRow {
  name: string;
  locale: string | null;
  timezone: string | null;
  has_password: boolean;
  created_at: string;
}

export async function showProfile(ctx: SystemCtx): Promise<Static<typeof Profile>> {
  return asProfile(ctx, await ctx.central.row<ProfileRow>(sql`SELECT ${columns} FROM users WHERE id = ${ctx.user.id}`));
}

export async function changeProfile(
  ctx: SystemCtx,
  changes: Static<typeof ProfileChanges>,
): Promise<Static<typeof Profile>> {
  const { name, locale, timezone } = changes;
  if (name !== undefined && name.trim() === '') throw invalid({ name: ['The name must not be empty.'] });
  const keep = (value: unknown, column: Sql) => (value === undefined ? column : sql`${value}`);
  return ctx.central.tx(async (tx) => {
    const row = await tx.row<ProfileRow>(sql`
      UPDATE users SET name = ${keep(name?.trim(), sql`name`)}, locale = ${keep(locale, sql`locale`)},
        timezone = ${keep(timezone, sql`timezone`)}, updated_at = now()
      WHERE id = ${ctx.user.id} RETURNING ${columns}`);
    await record(ctx, { action: 'profile_updated', details: { fields: Object.keys(changes) } }, tx);
    return asProfile(ctx, row);
  });
}

const columns = sql`name, locale, timezone, password_hash IS NOT NULL AS has_password, created_at`;

function asProfile(ctx: SystemCtx, row: ProfileRow | undefined): Static<typeof Profile> {
  if (!row) throw new Error('the signed-in user is gone');
  return { ...summaryOf(ctx.user), ...row };
}
