import type { SystemCtx } from '@chowk/kit';
import { authenticateClient } from './oauth-clients.ts';
import { refuse } from './oauth-errors.ts';
import { type OAuthRequest, required } from './oauth-parameters.ts';

/** RFC 7009: ends the session of a token. One that is nobody's is as revoked as can be. */
export async function revokeToken(ctx: SystemCtx, request: OAuthRequest): Promise<void> {
  const token = required(request.parameters, 'token');
  const client = await authenticateClient(ctx, request);
  const session = await ctx.platform.sessions.find(token);
  if (!session) return;
  if (session.clientId !== client.id) {
    throw refuse('invalid_grant', { reason: 'the token was given to another client' });
  }
  await ctx.platform.sessions.revoke(session.id);
}
