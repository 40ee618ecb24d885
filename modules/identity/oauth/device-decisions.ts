import { type Static, type SystemCtx, sql, Timestamp, Type } from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { limitFailures } from '../sign-in/limit-failures.ts';

export const WaitingDevice = Type.Object({
  client: Type.String({ description: 'The program that wants to act for the user.' }),
  ip: Type.Union([Type.String(), Type.Null()]),
  user_agent: Type.Union([Type.String(), Type.Null()]),
  scopes: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'The permissions it would be limited to; null is all that the user may do.',
  }),
  created_at: Timestamp,
  expires_at: Timestamp,
});
type WaitingDevice = Static<typeof WaitingDevice>;

/** The device that waits for a decision under a code, for its user to recognise it. */
export function showDevice(ctx: SystemCtx, userCode: string): Promise<WaitingDevice> {
  return guessing(ctx, () =>
    ctx.central.row<WaitingDevice>(sql`
      SELECT c.name AS client, d.ip, d.user_agent, d.scopes, d.created_at, d.expires_at
      FROM device_codes d JOIN oauth_clients c ON c.id = d.client_id WHERE ${isWaiting(ctx, userCode)}`),
  );
}

/** Of a yes and a no at once, the first one counts. */
export async function decide(
  ctx: SystemCtx,
  { userCode, decision }: { userCode: string; decision: 'approved' | 'denied' },
): Promise<void> {
  await guessing(ctx, () =>
    ctx.central.tx(async (tx) => {
      const decided = await tx.row<{ client_id: string; ip: string | null; user_agent: string | null }>(sql`
        UPDATE device_codes d SET decision = ${decision}, user_id = ${ctx.user.id}, decided_in = ${ctx.session.id}
        WHERE ${isWaiting(ctx, userCode)} RETURNING client_id, ip, user_agent`);
      if (decided) await record(ctx, { action: `device_${decision}`, details: decided }, tx);
      return decided;
    }),
  );
}

/** Who tries one code after the other is held back. A program must not let in others of its kind. */
function guessing<Found>(ctx: SystemCtx, look: () => Promise<Found | undefined>): Promise<Found> {
  if (ctx.session.kind !== 'login') throw fail('identity.session_only');
  const limit = { key: `device code ${ctx.user.id}`, perMinute: ctx.platform.options.loginFailuresPerMinute };
  return limitFailures(ctx, limit, async () => {
    const found = await look();
    if (!found) throw fail('identity.device_not_found');
    return found;
  });
}

/** People type it as they like. */
function isWaiting(ctx: SystemCtx, userCode: string) {
  const letters = userCode.toUpperCase().replace(/[^A-Z]/g, '');
  return sql`d.user_code = ${letters} AND d.decision IS NULL AND d.expires_at > ${ctx.now().toISOString()}`;
}
