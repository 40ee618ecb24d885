import { type Db, type FieldError, type Issues, type SystemCtx, sql, taken } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { record } from '../activity/activity.ts';
import { sendVerification } from './email.ts';
import { addressTaken, cancelEmailChange, isOwned } from './email-ownership.ts';
import { checkPassword, passwordReplaced } from './own-session.ts';

interface EmailChange {
  readonly email: string;
  readonly password: string;
}

interface Account {
  readonly email: string | null;
  readonly verified: boolean;
}

/** Returns the hash of the password. */
export async function checkEmailChange(
  ctx: SystemCtx,
  { email, password }: Partial<EmailChange>,
  issues: Issues,
): Promise<string | undefined> {
  const passwordHash =
    password === undefined ? undefined : await checkPassword(ctx, { password, field: 'password' }, issues);
  if (email !== undefined) await checkAddress(ctx, email, issues);
  return passwordHash;
}

/** Without a limit, a caller could find out which addresses have accounts and have mails sent to strangers. */
async function checkAddress(ctx: SystemCtx, email: string, issues: Issues): Promise<void> {
  const { limits, options } = ctx.system;
  const limit = [`email change ${ctx.user.id}`, options.loginFailuresPerMinute] as const;
  // A wrong password is reported anyway; 429 would hide it.
  if (issues.any && !limits.has(...limit)) return;
  limits.take(...limit);
  const problem = await addressProblem(ctx, email);
  if (problem) issues.addAll({ email: [problem] });
}

async function addressProblem({ central, user }: SystemCtx, email: string): Promise<FieldError | undefined> {
  if (email === user.email) return { code: 'invalid', message: 'This is already your email address.' };
  if (email === user.signInEmail) return undefined;
  return (await isOwned(central, email)) ? taken(addressTaken) : undefined;
}

/** The new address is shown at once. The account signs in with the old one until the new one is verified. */
export async function changeEmail(ctx: SystemCtx, { email }: EmailChange, passwordHash: string) {
  const { id: userId, name } = ctx.user;
  const requires_verification = await ctx.central.tx(async (tx) => {
    const account = await lockAccount(tx, userId, passwordHash);
    // Returning to the address that the account signs in with cancels the change.
    const isReturn = email === account.email;
    if (isReturn) await cancelEmailChange(tx, userId);
    else await enterAddress(tx, { userId, email, passwordHash });
    await tx.run(sql`UPDATE users SET updated_at = ${ctx.now()} WHERE id = ${userId}`);
    await record(ctx, { action: 'email_changed', details: { old: ctx.user.email, new: email } }, tx);
    if (isReturn && account.verified) return false;
    await sendVerification(ctx, tx, { userId, name, email });
    return true;
  });
  getAccounts(ctx.system).sessions.invalidateUser(userId);
  return { email, requires_verification };
}

/** Time and password of the first of several changes are kept: an undo ends what was made since then. */
async function enterAddress(
  tx: Db,
  { userId, email, passwordHash }: { userId: number; email: string; passwordHash: string },
): Promise<void> {
  await tx.run(sql`
    UPDATE users SET pending_email = ${email}, pending_email_at = coalesce(pending_email_at, clock_timestamp()),
      pending_email_password = coalesce(pending_email_password, ${passwordHash}) WHERE id = ${userId}`);
}

async function lockAccount(tx: Db, userId: number, passwordHash: string): Promise<Account> {
  const account = await tx.row<Account>(sql`
    SELECT email, email_verified_at IS NOT NULL AS verified FROM users
    WHERE id = ${userId} AND password_hash = ${passwordHash} AND password_exposed_at IS NULL FOR UPDATE`);
  if (!account) throw passwordReplaced('password');
  return account;
}
