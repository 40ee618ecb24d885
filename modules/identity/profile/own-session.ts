import { type Issues, invalid, type SystemCtx, sql, Type } from '@chowk/kit';
import { accountsOf } from '../accounts/accounts.ts';
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

/** Throws unless the person has signed in in this session: whoever holds a device or a program may be another. */
export async function mustBeLogin({ session: { kind, scopes } }: SystemCtx): Promise<void> {
  if (kind !== 'login' || scopes) throw fail('identity.session_only');
}

/** Throws unless the sign-in is recent, or the password or a second factor is sent again. */
export async function mustBeRecent(ctx: SystemCtx, { password, otp }: Confirmation): Promise<void> {
  if (password !== undefined) {
    await confirmPassword(ctx, { password, field: 'password' });
    return;
  }
  if (otp !== undefined && ctx.user.twoFactor) {
    await mustBeOwnSession(ctx);
    if (await checkCode(ctx, ctx.user.id, otp)) return;
    throw wrongCode();
  }
  // A device session does not count: no password was entered when it was opened.
  const { kind, authenticatedAt } = ctx.session;
  if (kind === 'login' && ctx.now().getTime() - authenticatedAt < recentMs) return;
  throw invalid({ password: { code: 'required', message: 'Enter your password to continue.' } });
}

/** Adds the problem of the confirmation to those of other fields. A code is not tried, because it works only once. */
export async function explainConfirmation(ctx: SystemCtx, { password, otp }: Confirmation, issues: Issues) {
  if (issues.has('password') || issues.has('otp') || otp !== undefined) return;
  await mustBeRecent(ctx, { password });
}

/** Throws unless it is the caller's password; returns its hash. Failures are limited per user. */
export async function confirmPassword(
  ctx: SystemCtx,
  { password, field }: { password: string; field: string },
): Promise<string> {
  await mustBeOwnSession(ctx);
  const user = await ctx.central.row<{ hash: string | null }>(
    sql`SELECT password_hash AS hash FROM users WHERE id = ${ctx.user.id}`,
  );
  const hash = user?.hash ?? null;
  if (hash === null) throw invalid({ [field]: 'You have no password yet. Request a link to set one first.' });
  if (await isPassword(ctx, password, hash)) return hash;
  throw invalid({ [field]: 'The password is not correct.' });
}

async function isPassword(ctx: SystemCtx, password: string, hash: string): Promise<boolean> {
  const { system, user, client } = ctx;
  const limit = { key: `wrong password ${user.id}`, perMinute: system.options.loginFailuresPerMinute };
  return limitGuesses(ctx, [limit], () => accountsOf(system).passwords.verify(password, hash, client.network));
}
