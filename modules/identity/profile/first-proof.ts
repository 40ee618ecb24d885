import { type Db, type SystemCtx, sql } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { record } from '../activity/activity.ts';
import { deleteClients } from '../oauth/api-client-makers.ts';
import { cancelEmailChange } from './email-ownership.ts';
import { removeFactor } from './second-factor.ts';

/**
 * For the first proof of an account's address. Until then a stranger may have signed up with it: sessions, tokens, API
 * clients, a second factor and a change of the address are not those of the person who proves it.
 */
export async function endAccessBeforeProof(ctx: SystemCtx, tx: Db, userId: number): Promise<void> {
  await getAccounts(ctx.system).sessions.revokeAll(userId, { db: tx });
  await deleteClients(ctx, tx, sql`c.created_by = ${userId}`, userId);
  await cancelEmailChange(tx, userId);
  if (await removeFactor(tx, userId)) await record(ctx, { action: 'two_factor_disabled', userId }, tx);
}
