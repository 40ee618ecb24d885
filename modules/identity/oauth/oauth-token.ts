import { type SystemCtx, sql } from '@chowk/kit';
import { deviceGrant, redeemDeviceCode } from './device-codes.ts';
import type { GivenToken } from './given-token.ts';
import { authenticateClient, mustHaveGrant, type OAuthClient } from './oauth-clients.ts';
import { refuse } from './oauth-errors.ts';
import { type OAuthRequest, type Parameters, required } from './oauth-parameters.ts';
import { mustBeWithin, readScopes, scopeOf } from './oauth-scopes.ts';

type Grant = (ctx: SystemCtx, client: OAuthClient, parameters: Parameters) => Promise<GivenToken>;

/** What tokens are given for. */
const grants: ReadonlyMap<string, Grant> = new Map<string, Grant>([
  ['refresh_token', refresh],
  ['client_credentials', giveToClient],
  [deviceGrant, redeemDeviceCode],
]);
export const grantTypes = [...grants.keys()];

export async function giveToken(ctx: SystemCtx, request: OAuthRequest): Promise<GivenToken> {
  const type = required(request.parameters, 'grant_type');
  const grant = grants.get(type);
  if (!grant) throw refuse('unsupported_grant_type');
  const client = await authenticateClient(ctx, request);
  mustHaveGrant(client, type);
  return grant(ctx, client, request.parameters);
}

/** The session's scope stays as it is: to ask for less of it is allowed and answered with what it is. */
async function refresh(ctx: SystemCtx, client: OAuthClient, parameters: Parameters): Promise<GivenToken> {
  const { sessions } = ctx.platform;
  const token = required(parameters, 'refresh_token');
  const wanted = readScopes(parameters.scope);
  if (wanted) mustBeWithin(wanted, (await sessions.find(token))?.scopes ?? []);
  const refreshed = await sessions.refresh(token, client.id);
  if (!refreshed) throw refuse('invalid_grant', { reason: 'the refresh token is unknown, over or used before' });
  const { userId: _, scopes, ...tokens } = refreshed;
  return { ...tokens, ...scopeOf(scopes) };
}

async function giveToClient(ctx: SystemCtx, client: OAuthClient, parameters: Parameters): Promise<GivenToken> {
  const scopes = readScopes(parameters.scope);
  mustBeWithin(scopes, client.scopes ?? []);
  const { id: clientId, user_id: userId, name } = client;
  if (userId === null) throw refuse('unauthorized_client');
  return ctx.central.tx(async (tx) => {
    // Who deletes the client or changes its secret comes before this, or waits and finds the session.
    const used = await tx.run(sql`
      UPDATE oauth_clients SET last_used_at = ${ctx.now().toISOString()}
      WHERE id = ${clientId} AND secret_hash = ${client.secret_hash}`);
    if (used === 0) throw refuse('invalid_client');
    await tx.run(forgetOld(clientId, userId));
    const session = { userId, kind: 'client' as const, clientId, name, scopes, client: ctx.client };
    return { ...(await ctx.platform.sessions.openBriefly(session, { db: tx })), ...scopeOf(scopes) };
  });
}

/** Every token is a session; a client that asks for one a second must not leave them all behind. */
function forgetOld(clientId: string, userId: number) {
  return sql`
    DELETE FROM sessions WHERE id IN (
      SELECT id FROM sessions
      WHERE user_id = ${userId} AND client_id = ${clientId} AND expires_at < now() - interval '1 hour'
      ORDER BY created_at LIMIT 20 FOR UPDATE SKIP LOCKED)`;
}
