import { type Db, type SystemCtx, sql } from '@chowk/kit';
import { sendPasswordReset } from './password-reset.ts';

/**
 * For a first proof without the password, which a stranger may have chosen: it no longer works, and a link to choose another one
 * is mailed to the proven address. Returns whether there was a password.
 */
export async function exposePassword(
  ctx: SystemCtx,
  tx: Db,
  { userId, address }: { readonly userId: number; readonly address: string },
): Promise<boolean> {
  const exposed = await tx.run(sql`
    UPDATE users SET password_exposed_at = ${ctx.now()} WHERE id = ${userId} AND password_hash IS NOT NULL`);
  if (exposed === 0) return false;
  await sendPasswordReset(ctx, tx, userId, [
    `${address} was verified without signing in. Somebody else may have created the account with your address, so its ` +
      'password no longer works.',
    'Choose a new password to sign in.',
  ]);
  return true;
}
