import { type Db, invalid, type SystemCtx, sql } from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { greet, sendMail } from '../mail/mails.ts';
import { organizationOf } from '../mail/organization.ts';
import { hashOf, newSecret } from '../secret-tokens.ts';
import { sendVerification } from './email.ts';
import { confirmPassword } from './own-session.ts';
import { forgetPasswordResets } from './password.ts';

const undoDays = 7;

interface Account {
  email: string;
  email_verified_at: string | null;
  password_hash: string;
}

/** Takes effect at once, unproven; the old address is told and can undo it. Gives back the address as it is kept. */
export async function changeEmail(
  ctx: SystemCtx,
  { email: given, password }: { email: string; password: string },
): Promise<string> {
  const { id: userId, name } = ctx.user;
  const passwordHash = await confirmPassword(ctx, { password, field: 'password' });
  // Whoever may try any number of addresses learns who has an account, and has mails sent to strangers.
  ctx.platform.limits.take(`email change ${userId}`, ctx.platform.options.loginFailuresPerMinute);
  const email = given.toLowerCase();
  const token = newSecret();
  const old = await unlessTaken('Another account has this address.', () =>
    ctx.central.tx(async (tx) => {
      const account = await lockAccount(tx, userId, passwordHash);
      if (account.email === email) throw invalid({ email: ['This is your address already.'] });
      await mustBeFree(tx, ctx, { userId, email });
      await keepOldAddress(tx, ctx, { userId, token, account, email });
      await tx.run(
        sql`UPDATE users SET email = ${email}, email_verified_at = NULL, updated_at = ${ctx.now()} WHERE id = ${userId}`,
      );
      await forgetPasswordResets(tx, userId);
      await record(ctx, { action: 'email_changed', details: { old: account.email, new: email } }, tx);
      return account.email;
    }),
  );
  await sendVerification(ctx, { userId, name, email });
  await tellOldAddress(ctx, { userId, name, old, token });
  return email;
}

/** Two accounts never have one address: of two that want it at once, the second is told. */
export async function unlessTaken<Result>(message: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    if (code !== '23505' || constraint !== 'users_email_key') throw error;
    throw invalid({ email: [message] });
  }
}

/** An address that its account may still take back is as good as taken: whoever stole that would block its return. */
async function mustBeFree(tx: Db, ctx: SystemCtx, { userId, email }: { userId: number; email: string }): Promise<void> {
  const reserved = await tx.row(sql`
    SELECT FROM reserved_emails WHERE email = ${email} AND user_id <> ${userId} AND until > ${ctx.now()}`);
  if (reserved) throw invalid({ email: ['Another account has this address.'] });
}

async function lockAccount(tx: Db, userId: number, passwordHash: string): Promise<Account> {
  const account = await tx.row<Account>(sql`
    SELECT email, email_verified_at, password_hash FROM users
    WHERE id = ${userId} AND password_hash = ${passwordHash} AND password_exposed_at IS NULL FOR UPDATE`);
  if (!account) throw invalid({ password: ['The password was changed in this moment.'] });
  return account;
}

/** The clock and not the time of the call orders changes: they are made one at a time, under the lock of the user. */
async function keepOldAddress(
  tx: Db,
  ctx: SystemCtx,
  { userId, token, account, email }: { userId: number; token: string; account: Account; email: string },
): Promise<void> {
  await tx.run(sql`
    INSERT INTO email_changes (token_hash, user_id, old_email, old_verified_at, old_password_hash, new_email, created_at,
      expires_at)
    VALUES (${hashOf(token)}, ${userId}, ${account.email}, ${account.email_verified_at}, ${account.password_hash}, ${email},
      clock_timestamp(), ${ctx.now()}::timestamptz + make_interval(days => ${undoDays}))`);
  await tx.run(sql`
    INSERT INTO reserved_emails (email, user_id, until)
    VALUES (${account.email}, ${userId}, ${ctx.now()}::timestamptz + make_interval(days => ${undoDays}))
    ON CONFLICT (email) DO UPDATE SET user_id = excluded.user_id, until = excluded.until`);
}

async function tellOldAddress(
  ctx: SystemCtx,
  { userId, name, old, token }: { userId: number; name: string; old: string; token: string },
): Promise<void> {
  const organization = await organizationOf(ctx, { userId });
  await sendMail(ctx, {
    to: old,
    subject: `The email address of your ${organization.name} account was changed`,
    organization: organization.name,
    greeting: greet(name),
    paragraphs: [
      `Your account at ${organization.name} no longer uses ${old}. If that was you, there is nothing to do.`,
      'If it was not you, somebody knows your password. Undo the change: your address is put back, everyone is signed out, and you choose a new password.',
    ],
    button: { label: 'Undo the change', url: `${ctx.platform.url}/email/undo/${token}` },
    expiry: `This link expires in ${undoDays} days.`,
    warning: 'Do not pass this mail on: whoever has the link can undo the change.',
  });
}
