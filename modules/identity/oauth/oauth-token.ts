import { type SystemCtx, sql } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { redeemCode } from '../apps/authorization-codes.ts';
import { redeemDeviceCode } from './device-codes.ts';
import { authenticateClient, mustHaveGrant, type OAuthClient } from './oauth-clients.ts';
import { refuse } from './oauth-errors.ts';
import { type Parameters, required } from './oauth-parameters.ts';
import { deviceGrant, type grantTypes, type OAuthToken } from './oauth-schemas.ts';
import { formatScope, mustBeWithin, readScopes } from './oauth-scopes.ts';

type Grant = (ctx: SystemCtx, client: OAuthClient, parameters: Parameters) => Promise<OAuthToken>;

const grants: Readonly<Record<(typeof grantTypes)[number], Grant>> = {
  authorization_code: redeemCode,
  refresh_token: refresh,
  client_credentials: issueClientToken,
  [deviceGrant]: redeemDeviceCode,
};

export async function issueToken(ctx: SystemCtx, parameters: Parameters): Promise<OAuthToken> {
  const type = required(parameters, 'grant_type');
  if (!Object.hasOwn(grants, type)) throw refuse('unsupported_grant_type');
  const client = await authenticateClient(ctx, parameters);
  mustHaveGrant(client, type);
  return grants[type as keyof typeof grants](ctx, client, parameters);
}

/** A narrower scope may be requested, but the session keeps its scope, which the response names. */
async function refresh(ctx: SystemCtx, client: OAuthClient, parameters: Parameters): Promise<OAuthToken> {
  const { sessions } = getAccounts(ctx.system);
  const token = required(parameters, 'refresh_token');
  const requested = readScopes(parameters.scope);
  if (requested) mustBeWithin(requested, (await sessions.find(token))?.scopes ?? []);
  const refreshed = await sessions.refresh(token, { clientId: client.id, client: ctx.client });
  if (!refreshed)
    throw refuse('invalid_grant', { reason: 'the refresh token is unknown, expired or was already used' });
  const { userId: _, scopes, tenantId, ...tokens } = refreshed;
  return { ...tokens, ...formatScope(scopes), ...(tenantId === null ? {} : { tenant: tenantId }) };
}

async function issueClientToken(ctx: SystemCtx, client: OAuthClient, parameters: Parameters): Promise<OAuthToken> {
  const scopes = readScopes(parameters.scope);
  mustBeWithin(scopes, client.scopes ?? []);
  const { id: clientId, user_id: userId, name } = client;
  if (userId === null) throw refuse('unauthorized_client');
  return ctx.central.tx(async (tx) => {
    // Locks the client: a concurrent deletion or rotation of the secret either precedes this or finds the session.
    const updated = await tx.run(sql`
      UPDATE oauth_clients SET last_used_at = ${ctx.now().toISOString()}
      WHERE id = ${clientId} AND secret_hash = ${client.secret_hash}`);
    if (updated === 0) throw refuse('invalid_client');
    await tx.run(deleteExpired(clientId, userId));
    const session = { userId, kind: 'client' as const, clientId, name, scopes, client: ctx.client };
    return { ...(await getAccounts(ctx.system).sessions.openBriefly(session, { db: tx })), ...formatScope(scopes) };
  });
}

/** Every token is a session, and clients may request many. */
function deleteExpired(clientId: string, userId: number) {
  return sql`
    DELETE FROM sessions WHERE id IN (
      SELECT id FROM sessions
      WHERE user_id = ${userId} AND client_id = ${clientId} AND expires_at < now() - interval '1 hour'
      ORDER BY created_at LIMIT 20 FOR UPDATE SKIP LOCKED)`;
}
