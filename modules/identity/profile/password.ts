import { type Db, invalid, type SystemCtx, sql } from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { greet, sendMail } from '../mail/mails.ts';
import { organizationOf } from '../mail/organization.ts';
import { confirmPassword } from './own-session.ts';
import { checkNewPassword } from './passwords.ts';

/** Signs everyone else out: whoever else knows the old password is gone with it. */
export async function changePassword(
  ctx: SystemCtx,
  change: { current_password: string; password: string; password_confirmation: string },
): Promise<void> {
  const field = 'current_password';
  const { id: userId, name, email } = ctx.user;
  const known = await confirmPassword(ctx, { password: change.current_password, field });
  checkNewPassword(change);
  const passwordHash = await ctx.platform.passwords.hash(change.password);
  await ctx.central.tx(async (tx) => {
    const changed = await tx.run(sql`
      UPDATE users SET password_hash = ${passwordHash}, updated_at = ${ctx.now()}
      WHERE id = ${userId} AND password_hash = ${known} AND password_exposed_at IS NULL`);
    if (changed === 0) throw invalid({ [field]: ['The password was changed in this moment.'] });
    await forgetPasswordResets(tx, userId);
    await ctx.platform.sessions.revokeAll(userId, { except: ctx.session.id, db: tx });
    await record(ctx, { action: 'password_changed' }, tx);
  });
  await tellPasswordChanged(ctx, { userId, name, email });
}

/** A link that was mailed before the password or the address changed is not good after it. */
export async function forgetPasswordResets(tx: Db, userId: number): Promise<void> {
  await tx.run(sql`DELETE FROM password_resets WHERE user_id = ${userId}`);
}

export async function tellPasswordChanged(
  ctx: SystemCtx,
  { userId, name, email }: { userId: number; name: string; email: string },
): Promise<void> {
  const organization = await organizationOf(ctx, { userId });
  await sendMail(ctx, {
    to: email,
    subject: `Your ${organization.name} password was changed`,
    organization: organization.name,
    greeting: greet(name),
    paragraphs: [
      `The password of your account at ${organization.name} was changed. Everyone who was signed in elsewhere was signed out.`,
    ],
    warning: `If that was not you, ask for a new password at once: choose "Forgot password" where you sign in to ${organization.name}.`,
  });
}
