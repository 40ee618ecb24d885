import { randomInt } from 'node:crypto';
import { type Db, Failure, type Static, type SystemCtx, sql } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { hashSecret, newSecret } from '../secret-tokens.ts';
import { authenticateClient, mustHaveGrant, type OAuthClient } from './oauth-clients.ts';
import { refuse } from './oauth-errors.ts';
import { type Parameters, required } from './oauth-parameters.ts';
import { type DeviceAuthorization, deviceGrant, type OAuthToken } from './oauth-schemas.ts';
import { formatScope, mustBeKnown, readScopes } from './oauth-scopes.ts';

/** Without vowels, to avoid words, and without letters that look alike. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const codeLength = 8;
const lifetimeSeconds = 600;
const firstInterval = 5;
/** Tolerance for varying network delays. */
const leewayMs = 500;

/** Starts the device grant of RFC 8628. */
export async function beginDeviceGrant(
  ctx: SystemCtx,
  parameters: Parameters,
): Promise<Static<typeof DeviceAuthorization>> {
  const client = await authenticateClient(ctx, parameters);
  mustHaveGrant(client, deviceGrant);
  const scopes = readScopes(parameters.scope);
  await mustBeKnown(ctx.central, scopes);
  // Anonymous callers can start grants, and each one is stored.
  const { options, limits, url } = ctx.system;
  limits.take(`device grant ${ctx.client.network}`, 10 * options.loginFailuresPerMinute);
  const deviceCode = newSecret();
  const letters = await storeDeviceCode(ctx, { deviceCode, client, scopes });
  const userCode = `${letters.slice(0, codeLength / 2)}-${letters.slice(codeLength / 2)}`;
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: `${url}/device`,
    verification_uri_complete: `${url}/device?user_code=${userCode}`,
    expires_in: lifetimeSeconds,
    interval: firstInterval,
  };
}

/** Returns the tokens after the user has approved; a code can be redeemed once. */
export async function redeemDeviceCode(
  ctx: SystemCtx,
  client: OAuthClient,
  parameters: Parameters,
): Promise<OAuthToken> {
  const deviceCode = required(parameters, 'device_code');
  // A refusal is returned, not thrown, so that its updates are committed.
  const outcome = await ctx.central.tx(async (tx) => {
    const device = await lockDevice(tx, deviceCode);
    if (!device || device.client_id !== client.id) {
      return refuse('invalid_grant', { reason: 'the device code is unknown or was already used' });
    }
    if (Date.parse(device.expires_at) <= ctx.now().getTime()) return refuse('expired_token');
    if (device.decision === 'denied' || device.withdrawn) return refuse('access_denied');
    if (device.decision === 'approved') return openSession(ctx, tx, client, device);
    return pendingFailure(ctx, tx, device);
  });
  if (outcome instanceof Failure) throw outcome;
  return outcome;
}

interface Device {
  readonly device_hash: Buffer;
  readonly client_id: string;
  readonly scopes: string[] | null;
  readonly user_id: number | null;
  readonly decision: 'approved' | 'denied' | null;
  /** The session in which the user approved was revoked. */
  readonly withdrawn: boolean;
  readonly expires_at: string;
  readonly polled_at: string | null;
  readonly interval: number;
}

async function openSession(ctx: SystemCtx, tx: Db, client: OAuthClient, device: Device): Promise<OAuthToken> {
  await tx.run(sql`DELETE FROM device_codes WHERE device_hash = ${device.device_hash}`);
  const { userAgent } = ctx.client;
  const session = {
    userId: device.user_id as number,
    kind: 'device' as const,
    clientId: client.id,
    name: userAgent ? `${client.name} (${userAgent.slice(0, 100)})` : client.name,
    scopes: device.scopes ?? undefined,
    client: ctx.client,
  };
  return { ...(await getAccounts(ctx.system).sessions.open(session, { db: tx })), ...formatScope(device.scopes) };
}

async function pendingFailure(ctx: SystemCtx, tx: Db, { device_hash, polled_at, interval }: Device): Promise<Failure> {
  const now = ctx.now();
  const waited = polled_at === null ? Number.POSITIVE_INFINITY : now.getTime() - Date.parse(polled_at);
  const tooFast = waited < interval * 1_000 - leewayMs;
  // RFC 8628, 3.5: the interval grows by five seconds.
  const next = tooFast ? interval + 5 : interval;
  await tx.run(sql`
    UPDATE device_codes SET polled_at = ${now.toISOString()}, interval = ${next} WHERE device_hash = ${device_hash}`);
  return tooFast ? refuse('slow_down', { seconds: next }) : refuse('authorization_pending');
}

/** The lock gives the tokens to one of several concurrent requests. */
function lockDevice(tx: Db, deviceCode: string): Promise<Device | undefined> {
  return tx.row<Device>(sql`
    SELECT d.device_hash, d.client_id, d.scopes, d.user_id, d.decision, d.expires_at, d.polled_at, d.interval,
      s.revoked_at IS NOT NULL AS withdrawn
    FROM device_codes d LEFT JOIN sessions s ON s.id = d.decided_in
    WHERE d.device_hash = ${hashSecret(deviceCode)} FOR UPDATE OF d`);
}

interface NewDevice {
  readonly deviceCode: string;
  readonly client: OAuthClient;
  readonly scopes: readonly string[] | undefined;
}

/** Retries while the random user code is in use. */
async function storeDeviceCode(ctx: SystemCtx, device: NewDevice): Promise<string> {
  for (;;) {
    const userCode = Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join('');
    if ((await insertDevice(ctx, device, userCode)) === 1) return userCode;
  }
}

/** Also deletes some codes that expired more than an hour ago; until then the device gets `expired_token`. */
function insertDevice(ctx: SystemCtx, { deviceCode, client, scopes }: NewDevice, userCode: string): Promise<number> {
  const now = ctx.now();
  const expires = new Date(now.getTime() + lifetimeSeconds * 1_000);
  const deleteBefore = new Date(now.getTime() - 3_600_000);
  const { address, userAgent } = ctx.client;
  return ctx.central.run(sql`
    WITH deleted AS (
      DELETE FROM device_codes WHERE device_hash IN (
        SELECT device_hash FROM device_codes WHERE expires_at < ${deleteBefore.toISOString()} LIMIT 20
        FOR UPDATE SKIP LOCKED))
    INSERT INTO device_codes (device_hash, user_code, client_id, scopes, ip, user_agent, created_at, expires_at, interval)
    VALUES (${hashSecret(deviceCode)}, ${userCode}, ${client.id}, ${scopes ?? null}::text[], ${address},
      ${userAgent?.slice(0, 500) ?? null}, ${now.toISOString()}, ${expires.toISOString()}, ${firstInterval})
    ON CONFLICT (user_code) DO NOTHING`);
}
