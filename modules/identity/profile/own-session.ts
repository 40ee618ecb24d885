import { invalid, type SystemCtx, sql } from '@chowk/kit';
import { fail } from '../errors.ts';

/** For so long after a sign-in nobody is asked again who it is. */
const recentMs = 15 * 60_000;

/** Throws unless a person has signed in: what a token of a program can do must not reach the account itself. */
export function mustBeOwnSession({ session: { kind, scopes } }: SystemCtx): void {
  if ((kind !== 'login' && kind !== 'device') || scopes) throw fail('identity.session_only');
}

/** For what an open laptop must not give away: a fresh sign-in, or the password once more. */
export async function mustBeSure(ctx: SystemCtx, password: string | undefined): Promise<void> {
  mustBeOwnSession(ctx);
  if (password !== undefined) {
    await confirmPassword(ctx, { password, field: 'password' });
    return;
  }
  // A device was let in by a session that may be old: nobody has shown a password there.
  const { kind, authenticatedAt } = ctx.session;
  if (kind === 'login' && ctx.now().getTime() - authenticatedAt < recentMs) return;
  throw invalid({ password: ['Enter your password to go on.'] });
}

/**
 * Makes sure that the user itself is there: by a session that it signed in to, and by its password. Failures are
 * counted, so that who has found an open session cannot guess. Gives back what is kept of the password.
 */
export async function confirmPassword(
  ctx: SystemCtx,
  { password, field }: { password: string; field: string },
): Promise<string> {
  mustBeOwnSession(ctx);
  const known = await findOwnPassword(ctx);
  if (known === null) throw invalid({ [field]: ['You have no password yet. Ask for a link to set one first.'] });
  if (await isPassword(ctx, password, known)) return known;
  throw invalid({ [field]: ['The password is not correct.'] });
}

async function findOwnPassword(ctx: SystemCtx): Promise<string | null> {
  const user = await ctx.central.row<{ hash: string | null }>(
    sql`SELECT password_hash AS hash FROM users WHERE id = ${ctx.user.id}`,
  );
  return user?.hash ?? null;
}

async function isPassword({ platform, user }: SystemCtx, password: string, known: string): Promise<boolean> {
  const { limits, options, passwords } = platform;
  const key = `wrong password ${user.id}`;
  const right = await passwords.verify(password, known, () => {
    if (!limits.has(key, options.loginFailuresPerMinute)) limits.take(key, options.loginFailuresPerMinute);
  });
  if (!right) limits.take(key, options.loginFailuresPerMinute);
  return right;
}
