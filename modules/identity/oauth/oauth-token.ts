import { type SystemCtx, sql } from '@chowk/kit';
import { accountsOf } from '../accounts/accounts.ts';
import { redeemDeviceCode } from './device-codes.ts';
import { authenticateClient, mustHaveGrant, type OAuthClient } from './oauth-clients.ts';
import { refuse } from './oauth-errors.ts';
import { type Parameters, required } from './oauth-parameters.ts';
import { deviceGrant, type grantTypes, type OAuthToken } from './oauth-schemas.ts';
import { mustBeWithin, readScopes, scopeOf } from './oauth-scopes.ts';

type Grant = (ctx: SystemCtx, client: OAuthClient, parameters: Parameters) => Promise<OAuthToken>;

const grants: Readonly<Record<(typeof grantTypes)[number], Grant>> = {
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

/** The session keeps its scope: less may be requested, and the answer names the whole. */
async function refresh(ctx: SystemCtx, client: OAuthClient, parameters: Parameters): Promise<OAuthToken> {
  const { sessions } = accountsOf(ctx.system);
  const token = required(parameters, 'refresh_token');
  const wanted = readScopes(parameters.scope);
  if (wanted) mustBeWithin(wanted, (await sessions.find(token))?.scopes ?? []);
  const refreshed = await sessions.refresh(token, client.id);
  if (!refreshed)
    throw refuse('invalid_grant', { reason: 'the refresh token is unknown, expired or was used already' });
  const { userId: _, scopes, ...tokens } = refreshed;
  return { ...tokens, ...scopeOf(scopes) };
}

async function issueClientToken(ctx: SystemCtx, client: OAuthClient, parameters: Parameters): Promise<OAuthToken> {
  const scopes = readScopes(parameters.scope);
  mustBeWithin(scopes, client.scopes ?? []);
  const { id: clientId, user_id: userId, name } = client;
  if (userId === null) throw refuse('unauthorized_client');
  return ctx.central.tx(async (tx) => {
    // Whoever deletes the client or replaces its secret at the same time comes first, or waits and finds the session.
    const used = await tx.run(sql`
      UPDATE oauth_clients SET last_used_at = ${ctx.now().toISOString()}
      WHERE id = ${clientId} AND secret_hash = ${client.secret_hash}`);
    if (used === 0) throw refuse('invalid_client');
    await tx.run(deleteExpired(clientId, userId));
    const session = { userId, kind: 'client' as const, clientId, name, scopes, client: ctx.client };
    return { ...(await accountsOf(ctx.system).sessions.openBriefly(session, { db: tx })), ...scopeOf(scopes) };
  });
}

/** Every token is a session: a client that requests one a second must not leave them all behind. */
function deleteExpired(clientId: string, userId: number) {
  return sql`
    DELETE FROM sessions WHERE id IN (
      SELECT id FROM sessions
      WHERE user_id = ${userId} AND client_id = ${clientId} AND expires_at < now() - interval '1 hour'
      ORDER BY created_at LIMIT 20 FOR UPDATE SKIP LOCKED)`;
}
