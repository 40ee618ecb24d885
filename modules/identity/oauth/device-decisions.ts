import { Nullable, named, type Static, type SystemCtx, sql, Timestamp, Type } from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { limitFailures } from '../sign-in/limit-failures.ts';

export const WaitingDevice = named(
  'WaitingDevice',
  Type.Object({
    client: Type.String({ description: 'The program that requests access.' }),
    ip: Nullable(Type.String()),
    user_agent: Nullable(Type.String()),
    scopes: Nullable(
      Type.Array(Type.String(), { description: 'The permissions it is limited to; null: all of the user.' }),
    ),
    created_at: Timestamp,
    expires_at: Timestamp,
  }),
);
type WaitingDevice = Static<typeof WaitingDevice>;
type Key = { readonly user_code: string };

export function getDevice(ctx: SystemCtx, { user_code }: Key): Promise<WaitingDevice> {
  return limitGuesses(ctx, () =>
    ctx.central.row<WaitingDevice>(sql`
      SELECT c.name AS client, d.ip, d.user_agent, d.scopes, d.created_at, d.expires_at
      FROM device_codes d JOIN oauth_clients c ON c.id = d.client_id WHERE ${isWaiting(ctx, user_code)}`),
  );
}

/** Only the first decision counts. */
export async function decide(ctx: SystemCtx, { user_code }: Key, decision: 'approved' | 'denied'): Promise<void> {
  await limitGuesses(ctx, () =>
    ctx.central.tx(async (tx) => {
      const decided = await tx.row<{ client_id: string; ip: string | null; user_agent: string | null }>(sql`
        UPDATE device_codes d SET decision = ${decision}, user_id = ${ctx.user.id}, decided_in = ${ctx.session.id}
        WHERE ${isWaiting(ctx, user_code)} RETURNING client_id, ip, user_agent`);
      if (decided) await record(ctx, { action: `device_${decision}`, details: decided }, tx);
      return decided;
    }),
  );
}

/** Requires a login session: a program must not approve another one. */
function limitGuesses<Result>(ctx: SystemCtx, find: () => Promise<Result | undefined>): Promise<Result> {
  if (ctx.session.kind !== 'login') throw fail('identity.session_only');
  const limit = { key: `device code ${ctx.user.id}`, perMinute: ctx.system.options.loginFailuresPerMinute };
  return limitFailures(ctx, limit, async () => {
    const result = await find();
    if (!result) throw fail('identity.device_not_found');
    return result;
  });
}

/** Ignores case, hyphens and spaces in the code. */
function isWaiting(ctx: SystemCtx, userCode: string) {
  const letters = userCode.toUpperCase().replace(/[^A-Z]/g, '');
  return sql`d.user_code = ${letters} AND d.decision IS NULL AND d.expires_at > ${ctx.now().toISOString()}`;
}
