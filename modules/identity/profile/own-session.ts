import { type Failure, type Issues, invalid, type SystemCtx, sql, Type } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { fail } from '../errors.ts';
import { Password } from '../schemas.ts';
import { limitGuesses } from '../sign-in/limit-guesses.ts';
import { checkCode, wrongCode } from './second-factor.ts';

export const Confirmation = Type.Object({
  password: Type.Optional(
    Type.String({ ...Password, description: 'Required, or `otp`, if the last sign-in is more than 15 minutes ago.' }),
  ),
  otp: Type.Optional(
    Type.String({ minLength: 1, maxLength: 50, description: 'A code of the authenticator app or a recovery code.' }),
  ),
});
export interface Confirmation {
  readonly password?: string | undefined;
  readonly otp?: string | undefined;
}
export const confirmationErrors = ['auth.too_many_attempts', 'auth.busy', 'identity.two_factor_locked'];

/** How long after a sign-in the password is not required again. */
const recentMs = 15 * 60_000;

/** Throws unless a person has signed in: tokens of programs must not change the account itself. */
export async function mustBeOwnSession({ session: { kind, scopes } }: SystemCtx): Promise<void> {
  if ((kind !== 'login' && kind !== 'device') || scopes) throw fail('identity.session_only');
}

/** Throws unless the person signed in in this session: another person may hold the token of a device or a program. */
export async function mustBeLogin({ session: { kind, scopes } }: SystemCtx): Promise<void> {
  if (kind !== 'login' || scopes) throw fail('identity.session_only');
}

/** Adds an issue unless the sign-in is recent, or the password or a second factor is sent again. */
export async function checkConfirmation(
  ctx: SystemCtx,
  { password, otp }: Confirmation,
  issues: Issues,
): Promise<void> {
  if (password !== undefined) {
    await checkPassword(ctx, { password, field: 'password' }, issues);
    return;
  }
  if (issues.has('password') || issues.has('otp')) return;
  if (otp !== undefined && ctx.user.twoFactor) {
    await mustBeOwnSession(ctx);
    // A code works only once, so it is not tried if the call is refused anyway.
    if (!issues.any && !(await checkCode(ctx, ctx.user.id, otp))) issues.addAll({ otp: [wrongCode] });
    return;
  }
  // A device session does not count: no password was entered when it was opened.
  const { kind, authenticatedAt } = ctx.session;
  if (kind === 'login' && ctx.now().getTime() - authenticatedAt < recentMs) return;
  issues.add('password', 'Enter your password to continue.', 'required');
}

/** Adds an issue unless it is the caller's password; returns its hash. Failures are limited per user. */
export async function checkPassword(
  ctx: SystemCtx,
  { password, field }: { password: string; field: string },
  issues: Issues,
): Promise<string | undefined> {
  await mustBeOwnSession(ctx);
  const user = await ctx.central.row<{ hash: string | null }>(
    sql`SELECT password_hash AS hash FROM users WHERE id = ${ctx.user.id}`,
  );
  const hash = user?.hash ?? null;
  if (hash === null) issues.add(field, 'You have no password yet. Request a link to set one first.');
  else if (await isPassword(ctx, password, hash)) return hash;
  else issues.add(field, 'The password is not correct.');
  return undefined;
}

/** For a password that was right when it was checked. */
export function passwordReplaced(field: string): Failure {
  return invalid({ [field]: 'The password was changed by another request. Try again.' });
}

async function isPassword(ctx: SystemCtx, password: string, hash: string): Promise<boolean> {
  const { system, user, client } = ctx;
  const origin = { site: client.site, isKnown: true };
  const limit = { key: `wrong password ${user.id}`, perMinute: system.options.loginFailuresPerMinute };
  return limitGuesses(ctx, [limit], () => getAccounts(system).passwords.verify(password, hash, origin));
}
