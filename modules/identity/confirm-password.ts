import { invalid, type SystemCtx, sql } from '@chowk/kit';
import { fail } from './errors.ts';

/**
 * Makes sure that the user itself is there: by a session that it signed in to, and by its password. Failures are
 * counted, so that who has found an open session cannot guess. Gives back what is kept of the password.
 */
export async function confirmPassword(
  ctx: SystemCtx,
  { password, field }: { password: string; field: string },
): Promise<string> {
  mustBeSignedInHere(ctx);
  const { id } = ctx.user;
  const known = await findPasswordHash(ctx, id);
  if (known === null) throw invalid({ [field]: ['You have no password yet. Ask for a link to set one first.'] });
  if (await isPassword(ctx, { userId: id, password, known })) return known;
  throw invalid({ [field]: ['The password is not correct.'] });
}

/** A token that was made for a program does not change who its user is. */
function mustBeSignedInHere({ session: { kind } }: SystemCtx): void {
  if (kind !== 'login' && kind !== 'device') throw fail('identity.session_only');
}

async function isPassword(
  { platform }: SystemCtx,
  { userId, password, known }: { userId: number; password: string; known: string },
): Promise<boolean> {
  const { limits, options, passwords } = platform;
  const key = `wrong password ${userId}`;
  const right = await passwords.verify(password, known, () => {
    if (!limits.has(key, options.loginFailuresPerMinute)) limits.take(key, options.loginFailuresPerMinute);
  });
  if (!right) limits.take(key, options.loginFailuresPerMinute);
  return right;
}

async function findPasswordHash(ctx: SystemCtx, userId: number): Promise<string | null> {
  const user = await ctx.central.row<{ password_hash: string | null }>(
    sql`SELECT password_hash FROM users WHERE id = ${userId}`,
  );
  return user?.password_hash ?? null;
}
