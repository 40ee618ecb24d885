import { invalid, type SystemCtx, sql } from '@chowk/kit';
import { fail } from './errors.ts';

/** For so long after a sign-in nobody is asked again who it is. */
const recentMs = 15 * 60_000;

/** Throws unless a person has signed in: what a token of a program can do must not reach the account itself. */
export function mustBeOwnSession({ session: { kind } }: SystemCtx): void {
  if (kind !== 'login' && kind !== 'device') throw fail('identity.session_only');
}

/** For what an open laptop must not give away: a fresh sign-in, or the password once more. */
export async function mustBeSure(ctx: SystemCtx, password: string | undefined): Promise<void> {
  if (password !== undefined) {
    await confirmPassword(ctx, { password, field: 'password' });
    return;
  }
  await findOwnPassword(ctx);
  if (ctx.now().getTime() - ctx.session.authenticatedAt < recentMs) return;
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
  const known = await findOwnPassword(ctx);
  if (known === null) throw invalid({ [field]: ['You have no password yet. Ask for a link to set one first.'] });
  if (await isPassword(ctx, password, known)) return known;
  throw invalid({ [field]: ['The password is not correct.'] });
}

/**
 * Throws where the password proves nothing because somebody else is known to have it: then only a mailed link does, or
 * the one who was turned out would come back and lock the owner out.
 */
async function findOwnPassword(ctx: SystemCtx): Promise<string | null> {
  mustBeOwnSession(ctx);
  const user = await ctx.central.row<{ hash: string | null; exposed: boolean }>(sql`
    SELECT password_hash AS hash, password_exposed_at IS NOT NULL AS exposed FROM users WHERE id = ${ctx.user.id}`);
  if (user?.exposed) throw fail('identity.password_exposed');
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
