import { type Db, type FieldError, type Issues, invalid, type SystemCtx, sql, taken } from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { type Addressee, mailUser } from '../mail/mails.ts';
import { hashOf, newSecret } from '../secret-tokens.ts';
import { sendVerification } from './email.ts';
import { confirmPassword } from './own-session.ts';
import { deletePasswordResets } from './password.ts';

const undoDays = 7;
const addressTaken = 'Another account has this address.';

interface EmailChange {
  readonly email: string;
  readonly password: string;
}

interface Account {
  email: string;
  email_verified_at: string | null;
  password_hash: string;
}

/** Takes effect at once, unverified. The old address receives a link that undoes it. */
export async function changeEmail(ctx: SystemCtx, { email, password }: EmailChange) {
  const { id: userId, name } = ctx.user;
  const passwordHash = await confirmPassword(ctx, { password, field: 'password' });
  limitAttempts(ctx);
  const token = newSecret();
  const old = await unlessTaken(addressTaken, () =>
    ctx.central.tx(async (tx) => {
      const account = await lockAccount(tx, userId, passwordHash);
      const problem = await addressProblem(ctx, tx, email);
      if (problem) throw invalid({ email: problem });
      await keepOldAddress(tx, ctx, { userId, token, account, email });
      await tx.run(
        sql`UPDATE users SET email = ${email}, email_verified_at = NULL, updated_at = ${ctx.now()} WHERE id = ${userId}`,
      );
      await deletePasswordResets(tx, userId);
      await record(ctx, { action: 'email_changed', details: { old: account.email, new: email } }, tx);
      return account.email;
    }),
  );
  await sendVerification(ctx, { userId, name, email });
  await notifyOldAddress(ctx, { userId, name, email: old }, token);
  return { email, requires_verification: true as const };
}

export async function explainEmailChange(
  ctx: SystemCtx,
  { email, password }: Partial<EmailChange>,
  issues: Issues,
): Promise<void> {
  if (email !== undefined) {
    limitAttempts(ctx);
    const problem = await addressProblem(ctx, ctx.central, email);
    if (problem) issues.add('email', problem.message, problem.code);
  }
  if (password !== undefined) await confirmPassword(ctx, { password, field: 'password' });
}

/** Without a limit, a caller could find out which addresses have accounts and have mails sent to strangers. */
function limitAttempts({ system: { limits, options }, user }: SystemCtx): void {
  limits.take(`email change ${user.id}`, options.loginFailuresPerMinute);
}

/** A former address of another account counts as taken while that account may return to it. */
async function addressProblem(ctx: SystemCtx, db: Db, email: string): Promise<FieldError | undefined> {
  const owner = await db.row<{ id: number }>(sql`
    SELECT id FROM users WHERE email = ${email}
    UNION ALL
    SELECT user_id FROM reserved_emails WHERE email = ${email} AND user_id <> ${ctx.user.id} AND until > ${ctx.now()}
    LIMIT 1`);
  if (!owner) return undefined;
  return owner.id === ctx.user.id
    ? { code: 'invalid', message: 'This is already your email address.' }
    : taken(addressTaken);
}

/** Turns a violation of the unique index, as in a race for an address, into 422. */
export async function unlessTaken<Result>(message: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    if (code !== '23505' || constraint !== 'users_email_key') throw error;
    throw invalid({ email: taken(message) });
  }
}

async function lockAccount(tx: Db, userId: number, passwordHash: string): Promise<Account> {
  const account = await tx.row<Account>(sql`
    SELECT email, email_verified_at, password_hash FROM users
    WHERE id = ${userId} AND password_hash = ${passwordHash} AND password_exposed_at IS NULL FOR UPDATE`);
  if (!account) throw invalid({ password: 'The password was changed by another request. Try again.' });
  return account;
}

/** `clock_timestamp()` orders the changes: they run one at a time, under the lock of the user. */
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

function notifyOldAddress(ctx: SystemCtx, user: Addressee, token: string): Promise<void> {
  return mailUser(ctx, user, ({ name }) => ({
    subject: `The email address of your ${name} account was changed`,
    paragraphs: [
      `Your account at ${name} no longer uses ${user.email}. If that was you, there is nothing to do.`,
      'If it was not you, another person knows your password. Undo the change: your address is restored, all sessions end, and you choose a new password.',
    ],
    button: { label: 'Undo the change', url: `${ctx.system.url}/email/undo/${token}` },
    expiry: `This link expires in ${undoDays} days.`,
    warning: 'Do not forward this mail: anyone with the link can undo the change.',
  }));
}
