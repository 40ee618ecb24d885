import { invalid, type Static, type SystemCtx, sql, Type } from '@chowk/kit';
import { accountsOf } from '../accounts/accounts.ts';
import { fail } from '../errors.ts';
import { Password } from '../schemas.ts';

export const Confirmation = Type.Object({
  password: Type.Optional(
    Type.String({ ...Password, description: 'Needed when the last sign-in is more than 15 minutes ago.' }),
  ),
});
export type Confirmation = Static<typeof Confirmation>;

/** For so long after a sign-in the password is not asked for again. */
const recentMs = 15 * 60_000;

/** Throws unless a person has signed in: a token that was made for a program must not reach the account itself. */
export async function mustBeOwnSession({ session: { kind, scopes } }: SystemCtx): Promise<void> {
  if ((kind !== 'login' && kind !== 'device') || scopes) throw fail('identity.session_only');
}

/** For what an open laptop must not give away: asks for a recent sign-in, or the password once more. */
export async function mustBeRecent(ctx: SystemCtx, { password }: Confirmation): Promise<void> {
  if (password !== undefined) {
    await confirmPassword(ctx, { password, field: 'password' });
    return;
  }
  // A device was approved by a session that may be old: nobody has entered a password there.
  const { kind, authenticatedAt } = ctx.session;
  if (kind === 'login' && ctx.now().getTime() - authenticatedAt < recentMs) return;
  throw invalid({ password: { code: 'required', message: 'Enter your password to go on.' } });
}

/**
 * Throws unless it is the caller's password; returns its hash. Failures are counted, so that whoever has found an open
 * session cannot guess.
 */
export async function confirmPassword(
  ctx: SystemCtx,
  { password, field }: { password: string; field: string },
): Promise<string> {
  await mustBeOwnSession(ctx);
  const user = await ctx.central.row<{ hash: string | null }>(
    sql`SELECT password_hash AS hash FROM users WHERE id = ${ctx.user.id}`,
  );
  const known = user?.hash ?? null;
  if (known === null) throw invalid({ [field]: 'You have no password yet. Ask for a link to set one first.' });
  if (await isPassword(ctx, password, known)) return known;
  throw invalid({ [field]: 'The password is not correct.' });
}

async function isPassword({ system, user }: SystemCtx, password: string, known: string): Promise<boolean> {
  const { limits, options } = system;
  const key = `wrong password ${user.id}`;
  const right = await accountsOf(system).passwords.verify(password, known, () => {
    if (!limits.has(key, options.loginFailuresPerMinute)) limits.take(key, options.loginFailuresPerMinute);
  });
  if (!right) limits.take(key, options.loginFailuresPerMinute);
  return right;
}
