import { createHash } from 'node:crypto';
import { type SystemCtx, sql } from '@chowk/kit';

export interface DeviceToken {
  readonly session_id: string;
  readonly token: string;
}

/** When another user has signed in to an app, it must no longer get the messages of the first one, in any tenant. */
export async function claimDevice(ctx: SystemCtx, { token }: { token: string }): Promise<string> {
  const { id } = ctx.session;
  await ctx.central.run(sql`
    INSERT INTO device_tokens (hash, session_id) VALUES (${sha256(token)}, ${id})
    ON CONFLICT (hash) DO UPDATE SET session_id = excluded.session_id`);
  return id;
}

export async function findActiveDevices(
  ctx: SystemCtx,
  { devices }: { devices: readonly DeviceToken[] },
): Promise<string[]> {
  const [tokens, sessions] = [devices.map(({ token }) => token), devices.map(({ session_id }) => session_id)];
  const rows = await ctx.central.rows<{ token: string }>(sql`
    SELECT d.token
    FROM unnest(${tokens}::text[], ${tokens.map(sha256)}::bytea[], ${sessions}::uuid[]) AS d (token, hash, session_id)
      JOIN device_tokens t ON t.hash = d.hash AND t.session_id = d.session_id
      JOIN sessions s ON s.id = t.session_id
      JOIN users u ON u.id = s.user_id AND u.disabled_at IS NULL
      JOIN memberships m ON m.user_id = s.user_id AND m.tenant_id = ${ctx.tenant.id}
    WHERE s.revoked_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > ${ctx.now()})`);
  return rows.map(({ token }) => token);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
