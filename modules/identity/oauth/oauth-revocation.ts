import type { SystemCtx } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { authenticateClient } from './oauth-clients.ts';
import { refuse } from './oauth-errors.ts';
import { type Parameters, required } from './oauth-parameters.ts';

/** RFC 7009: ends the session of a token. An unknown token counts as revoked. */
export async function revokeToken(ctx: SystemCtx, parameters: Parameters): Promise<void> {
  const token = required(parameters, 'token');
  const client = await authenticateClient(ctx, parameters);
  const session = await getAccounts(ctx.system).sessions.find(token);
  if (!session) return;
  if (session.clientId !== client.id) throw refuse('invalid_grant', { reason: 'the token belongs to another client' });
  await getAccounts(ctx.system).sessions.revoke(session.id);
}
