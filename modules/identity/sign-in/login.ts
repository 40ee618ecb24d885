import { invalid, type SystemCtx, sql } from '@chowk/kit';
import { accountsOf } from '../accounts/accounts.ts';
import type { Tokens } from '../accounts/sessions.ts';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { takeCode } from '../profile/two-factor.ts';
import type { UserSummary } from '../schemas.ts';
import { limitFailures, perAddress } from './limit-failures.ts';
import { type Guard, signInGuard } from './sign-in-limits.ts';

interface AccountRow {
  id: number;
  name: string;
  email: string;
  password_hash: string | null;
  verified: boolean;
  two_factor_secret: string | null;
  two_factor: boolean;
  /** It has signed in from this address before. */
  known: boolean;
}

interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly otp?: string | undefined;
}

/** An unknown user is refused in the same words and the same time as a wrong password. */
export async function signIn(
  ctx: SystemCtx,
  { email, password, otp }: Credentials,
): Promise<Tokens & { user: UserSummary }> {
  const account = await findAccount(ctx, email);
  const guard = signInGuard(ctx, email, { known: account?.known ?? false });
  guard.check();
  const fits = await accountsOf(ctx.system).passwords.verify(password, account?.password_hash, guard.check);
  if (!account || !fits) {
    guard.count();
    throw invalid({ email: 'These credentials do not match our records.' });
  }
  if (account.two_factor) await checkSecondFactor(ctx, account, otp, guard);
  const tokens = await accountsOf(ctx.system).sessions.open({ userId: account.id, kind: 'login', client: ctx.client });
  await record(ctx, { action: 'signed_in', userId: account.id, tenantId: await tenantOf(ctx, account.id) });
  const { id, name, verified: email_verified, two_factor: two_factor_enabled } = account;
  return { ...tokens, user: { id, name, email, email_verified, two_factor_enabled } };
}

interface RefreshToken {
  readonly refresh_token: string;
}

export function refresh(ctx: SystemCtx, { refresh_token }: RefreshToken): Promise<Tokens> {
  return limitFailures(ctx, perAddress(ctx), async () => {
    const refreshed = await accountsOf(ctx.system).sessions.refresh(refresh_token);
    if (!refreshed) throw fail('identity.bad_refresh_token', {}, { headers: { 'WWW-Authenticate': 'Bearer' } });
    return refreshed;
  });
}

/** Ends the session of the bearer token or of the refresh token. One that is over already is none to end. */
export async function signOut(ctx: SystemCtx, { refresh_token }: Partial<RefreshToken>): Promise<void> {
  const own = ctx.userId === undefined ? undefined : { id: ctx.session.id, userId: ctx.userId };
  const found = refresh_token === undefined ? own : await accountsOf(ctx.system).sessions.find(refresh_token);
  // With both, the refresh token says which; it must not say somebody else's.
  if (!found || (own && own.userId !== found.userId)) return;
  await accountsOf(ctx.system).sessions.revoke(found.id);
  await record(ctx, { action: 'signed_out', userId: found.userId, tenantId: await tenantOf(ctx, found.userId) });
}

/** Anyone can sign in at a tenant's address; what strangers do there is not for its log. */
async function tenantOf(ctx: SystemCtx, userId: number): Promise<string | null> {
  const tenants = ctx.tenantId === undefined ? [] : await accountsOf(ctx.system).memberships.tenantsOf(userId);
  return tenants.find(({ id }) => id === ctx.tenantId)?.id ?? null;
}

async function checkSecondFactor(
  ctx: SystemCtx,
  account: AccountRow,
  otp: string | undefined,
  guard: Guard,
): Promise<void> {
  if (otp === undefined) {
    const headers = { 'WWW-Authenticate': 'Bearer' };
    throw fail('identity.two_factor_required', {}, { body: { two_factor_required: true }, headers });
  }
  if (await takeCode(ctx, account.id, account.two_factor_secret ?? '', otp)) return;
  guard.count();
  throw invalid({ otp: 'The code is wrong or was used before.' });
}

function findAccount(ctx: SystemCtx, email: string): Promise<AccountRow | undefined> {
  return ctx.central.row<AccountRow>(sql`
    SELECT id, name, email, password_hash, email_verified_at IS NOT NULL AS verified, two_factor_secret,
      two_factor_confirmed_at IS NOT NULL AS two_factor, EXISTS (
        SELECT FROM sessions s WHERE s.user_id = u.id AND s.network = ${ctx.client.network}
          AND s.created_at > now() - interval '90 days') AS known
    FROM users u WHERE email = ${email} AND kind = 'person' AND disabled_at IS NULL`);
}
