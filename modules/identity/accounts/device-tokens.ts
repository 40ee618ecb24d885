import { createHash } from 'node:crypto';
import { type SystemCtx, sql } from '@chowk/kit';

export interface DeviceToken {
  readonly session_id: string;
  readonly token: string;
}

/** When another user has signed in to an app, it must no longer get the messages of the first one, in any tenant. */
export async function claimDevice(ctx: SystemCtx, { token }: { token: string }): Promise<string> {
  const { id } = ctx.session;
  const hash = sha256(token);
  await ctx.central.tx(async (tx) => {
    await tx.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(encode(${hash}, 'hex'), 0))`);
    await tx.run(sql`UPDATE sessions SET device_hash = NULL WHERE device_hash = ${hash} AND id <> ${id}`);
    await tx.run(sql`UPDATE sessions SET device_hash = ${hash} WHERE id = ${id}`);
  });
  return id;
}

export async function findActiveDevices(
  ctx: SystemCtx,
  { devices }: { devices: readonly DeviceToken[] },
): Promise<Set<string>> {
  const ids = devices.map(({ session_id }) => session_id);
  const hashes = devices.map(({ token }) => sha256(token));
  const rows = await ctx.central.rows<{ id: string }>(sql`
    SELECT s.id FROM unnest(${ids}::uuid[], ${hashes}::bytea[]) AS d (session_id, hash)
      JOIN sessions s ON s.id = d.session_id AND s.device_hash = d.hash
      JOIN users u ON u.id = s.user_id AND u.disabled_at IS NULL
      JOIN memberships m ON m.user_id = s.user_id AND m.tenant_id = ${ctx.tenant.id}
    WHERE s.revoked_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > ${ctx.now()})`);
  return new Set(rows.map(({ id }) => id));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
