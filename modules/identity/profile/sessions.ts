import { type SystemCtx, sql } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import type { Session } from '../schemas.ts';

/** Most recently used first. */
export function listSessions(ctx: SystemCtx): Promise<Session[]> {
  return ctx.central.rows<Session>(sql`
    SELECT s.id, s.kind, coalesce(s.name, c.name) AS name, s.ip, s.user_agent, s.created_at, s.last_used_at, s.expires_at,
      s.id = ${ctx.session.id}::uuid AS current
    FROM sessions s LEFT JOIN oauth_clients c ON c.id = s.client_id
    WHERE s.user_id = ${ctx.user.id} AND s.kind IN ('login', 'device') AND s.revoked_at IS NULL
      AND (s.expires_at IS NULL OR s.expires_at > ${ctx.now().toISOString()}::timestamptz)
    ORDER BY s.last_used_at DESC, s.id DESC LIMIT 500`);
}

export async function endSession(ctx: SystemCtx, { id }: { id: string }): Promise<void> {
  const own = await ctx.central.row(sql`
    SELECT 1 FROM sessions
    WHERE id = ${id} AND user_id = ${ctx.user.id} AND kind IN ('login', 'device') AND revoked_at IS NULL`);
  if (!own) throw fail('identity.session_not_found');
  await getAccounts(ctx.system).sessions.revoke(id);
  await record(ctx, { action: 'session_revoked' });
}

/** Personal access tokens stay valid. */
export async function endOtherSessions(ctx: SystemCtx): Promise<{ count: number }> {
  const count = await ctx.central.run(sql`
    UPDATE sessions SET revoked_at = now()
    WHERE user_id = ${ctx.user.id} AND kind IN ('login', 'device') AND revoked_at IS NULL AND id <> ${ctx.session.id}`);
  await record(ctx, { action: 'other_sessions_revoked', details: { count } });
  return { count };
}
