import { invalid, type SystemCtx, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import { signInGuard } from './sign-in-limits.ts';

/** For so long after a sign-in nobody is asked again who it is. */
const recentMs = 15 * 60_000;

/** Throws unless a person has signed in: what a token of a program can do must not reach the account itself. */
export function mustBeOwnSession(ctx: SystemCtx): void {
  if (ctx.session.kind !== 'login' && ctx.session.kind !== 'device') throw fail('identity.session_only');
}

/** For what an open laptop must not give away: a fresh sign-in, or the password once more. */
export async function mustBeSure(ctx: SystemCtx, password: string | undefined): Promise<void> {
  mustBeOwnSession(ctx);
  if (password === undefined) {
    if (ctx.now().getTime() - ctx.session.authenticatedAt < recentMs) return;
    throw invalid({ password: ['Enter your password to go on.'] });
  }
  await checkPassword(ctx, password, 'password');
}

/** The caller's own password, counted like a sign-in when it is wrong. */
export async function checkPassword(ctx: SystemCtx, password: string, field: string): Promise<void> {
  const { id, email } = ctx.user;
  const guard = signInGuard(ctx, email, { known: true });
  const row = await ctx.central.row<{ hash: string | null }>(
    sql`SELECT password_hash AS hash FROM users WHERE id = ${id}`,
  );
  guard.check();
  if (await ctx.platform.passwords.verify(password, row?.hash, guard.check)) return;
  guard.count();
  throw invalid({ [field]: ['The password is wrong.'] });
}
