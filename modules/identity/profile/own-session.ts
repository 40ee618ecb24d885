import { invalid, type Static, type SystemCtx, sql, Type } from '@chowk/kit';
import { accountsOf } from '../accounts/accounts.ts';
import { fail } from '../errors.ts';
import { Password } from '../schemas.ts';

export const Confirmation = Type.Object({
  password: Type.Optional(
    Type.String({ ...Password, description: 'Required if the last sign-in is more than 15 minutes ago.' }),
  ),
});
export type Confirmation = Static<typeof Confirmation>;

/** How long after a sign-in the password is not required again. */
const recentMs = 15 * 60_000;

/** Throws unless a person has signed in: tokens of programs must not change the account itself. */
export async function mustBeOwnSession({ session: { kind, scopes } }: SystemCtx): Promise<void> {
  if ((kind !== 'login' && kind !== 'device') || scopes) throw fail('identity.session_only');
}

/** Throws unless the sign-in is recent or the password is sent again. */
export async function mustBeRecent(ctx: SystemCtx, { password }: Confirmation): Promise<void> {
  if (password !== undefined) {
    await confirmPassword(ctx, { password, field: 'password' });
    return;
  }
  // A device session does not count: no password was entered when it was opened.
  const { kind, authenticatedAt } = ctx.session;
  if (kind === 'login' && ctx.now().getTime() - authenticatedAt < recentMs) return;
  throw invalid({ password: { code: 'required', message: 'Enter your password to continue.' } });
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

async function isPassword({ system, user }: SystemCtx, password: string, hash: string): Promise<boolean> {
  const { limits, options } = system;
  const key = `wrong password ${user.id}`;
  const isCorrect = await accountsOf(system).passwords.verify(password, hash, () => {
    if (!limits.has(key, options.loginFailuresPerMinute)) limits.take(key, options.loginFailuresPerMinute);
  });
  if (!isCorrect) limits.take(key, options.loginFailuresPerMinute);
  return isCorrect;
}
