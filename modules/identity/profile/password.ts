import { type Db, type Issues, type SystemCtx, sql } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { record } from '../activity/activity.ts';
import type { Addressee } from '../mail/mails.ts';
import { type ChosenPassword, checkNewPassword } from './new-password.ts';
import { checkPassword, passwordReplaced } from './own-session.ts';
import { sendSecurityNotice } from './security-notice.ts';

interface PasswordChange extends ChosenPassword {
  readonly current_password: string;
}

const field = 'current_password';

/** Returns the hash of the current password. */
export async function checkPasswordChange(
  ctx: SystemCtx,
  change: Partial<PasswordChange>,
  issues: Issues,
): Promise<string | undefined> {
  checkNewPassword(change, issues);
  const { current_password: password } = change;
  return password === undefined ? undefined : checkPassword(ctx, { password, field }, issues);
}

/** Ends all other sessions: another person may have signed in with the old password. */
export async function changePassword(ctx: SystemCtx, { password }: PasswordChange, currentHash: string): Promise<void> {
  const { id: userId, name, signInEmail: email } = ctx.user;
  const passwordHash = await getAccounts(ctx.system).passwords.hash(password, { site: ctx.client.site, isKnown: true });
  await ctx.central.tx(async (tx) => {
    const changed = await tx.run(sql`
      UPDATE users SET password_hash = ${passwordHash}, updated_at = ${ctx.now()}
      WHERE id = ${userId} AND password_hash = ${currentHash} AND password_exposed_at IS NULL`);
    if (changed === 0) throw passwordReplaced(field);
    await deletePasswordResets(tx, userId);
    await getAccounts(ctx.system).sessions.revokeAll(userId, { except: ctx.session.id, db: tx });
    await record(ctx, { action: 'password_changed' }, tx);
    await sendPasswordChanged(ctx, tx, { userId, name, email });
  });
}

/** Links are invalid after the password or the address has changed. */
export async function deletePasswordResets(tx: Db, userId: number): Promise<void> {
  await tx.run(sql`DELETE FROM password_resets WHERE user_id = ${userId}`);
}

export function sendPasswordChanged(ctx: SystemCtx, tx: Db, user: Addressee): Promise<void> {
  return sendSecurityNotice(ctx, tx, user, (organization) => ({
    subject: `Your ${organization} password was changed`,
    text: `The password of your account at ${organization} was changed. All other sessions have ended.`,
  }));
}
