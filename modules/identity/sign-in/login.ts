import { invalid, type SystemCtx, sql } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import type { Tokens } from '../accounts/sessions.ts';
import { isShownEmailVerified, shownEmail } from '../accounts/users.ts';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { checkCode, wrongCode } from '../profile/second-factor.ts';
import type { UserSummary } from '../schemas.ts';
import { limitFailures, limitPerNetwork } from './limit-failures.ts';
import { type Limit, limitGuesses } from './limit-guesses.ts';
import { signInLimits } from './sign-in-limits.ts';

interface AccountRow {
  id: number;
  name: string;
  email: string;
  password_hash: string | null;
  password_exposed: boolean;
  email_verified: boolean;
  two_factor_enabled: boolean;
  /** Whether it has signed in from this network before. */
  is_known_network: boolean;
}

interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly otp?: string | undefined;
}

/** An unknown user gets the same error, after the same time, as a wrong password. */
export async function signIn(
  ctx: SystemCtx,
  { email, password, otp }: Credentials,
): Promise<Tokens & { user: UserSummary }> {
  const account = await findAccount(ctx, email);
  const isKnown = account?.is_known_network ?? false;
  const limits = signInLimits(ctx, email, { isKnown });
  const isCorrect = await limitGuesses(ctx, limits, () =>
    getAccounts(ctx.system).passwords.verify(password, account?.password_hash, { site: ctx.client.site, isKnown }),
  );
  if (!account || !isCorrect) throw badCredentials();
  if (account.password_exposed) throw fail('auth.password_exposed');
  if (account.two_factor_enabled) await checkSecondFactor(ctx, account, otp, limits);
  const tokens = await openLogin(ctx, account);
  await record(ctx, { action: 'signed_in', userId: account.id, tenantId: await findTenant(ctx, account.id) });
  const { id, name, email: shown, email_verified, two_factor_enabled } = account;
  return { ...tokens, user: { id, name, email: shown, email_verified, two_factor_enabled } };
}

/** Opens a session of a user whose password was verified, unless it has been changed since. */
export function openLogin(
  ctx: SystemCtx,
  { id, password_hash }: { id: number; password_hash: string | null },
): Promise<Tokens> {
  return ctx.central.tx(async (tx) => {
    // The lock orders this before or after a change of the password, which ends all sessions.
    const user = await tx.row(sql`
      SELECT FROM users WHERE id = ${id} AND password_hash = ${password_hash} AND password_exposed_at IS NULL
        AND disabled_at IS NULL FOR SHARE`);
    if (!user) throw badCredentials();
    const session = { userId: id, kind: 'login' as const, client: ctx.client };
    return getAccounts(ctx.system).sessions.open(session, { db: tx });
  });
}

function badCredentials() {
  return invalid({ email: 'These credentials do not match our records.' });
}

const invalidToken = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };

interface RefreshToken {
  readonly refresh_token: string;
}

export function refresh(ctx: SystemCtx, { refresh_token }: RefreshToken): Promise<Tokens> {
  return limitFailures(ctx, limitPerNetwork(ctx), async () => {
    const refreshed = await getAccounts(ctx.system).sessions.refresh(refresh_token, { client: ctx.client });
    if (!refreshed) throw fail('identity.bad_refresh_token', {}, { headers: invalidToken });
    return refreshed;
  });
}

/** Ends the session of the refresh token or, without one, of the bearer token. Does nothing if it has ended. */
export async function signOut(ctx: SystemCtx, { refresh_token }: Partial<RefreshToken>): Promise<void> {
  const own = ctx.userId === undefined ? undefined : { id: ctx.session.id, userId: ctx.userId };
  const session = refresh_token === undefined ? own : await getAccounts(ctx.system).sessions.find(refresh_token);
  // A caller with a bearer token must not end the session of another user.
  if (!session || (own && own.userId !== session.userId)) return;
  await getAccounts(ctx.system).sessions.revoke(session.id);
  await record(ctx, { action: 'signed_out', userId: session.userId, tenantId: await findTenant(ctx, session.userId) });
}

/** The tenant of the call if the user is a member: sign-ins of others do not belong in its log. */
async function findTenant(ctx: SystemCtx, userId: number): Promise<string | null> {
  const tenants = ctx.tenantId === undefined ? [] : await getAccounts(ctx.system).memberships.listTenants(userId);
  return tenants.find(({ id }) => id === ctx.tenantId)?.id ?? null;
}

async function checkSecondFactor(
  ctx: SystemCtx,
  account: AccountRow,
  otp: string | undefined,
  limits: readonly Limit[],
): Promise<void> {
  if (otp === undefined) {
    const headers = { 'WWW-Authenticate': 'Bearer' };
    throw fail('identity.two_factor_required', {}, { body: { two_factor_required: true }, headers });
  }
  if (await limitGuesses(ctx, limits, () => checkCode(ctx, account.id, otp))) return;
  throw invalid({ otp: wrongCode });
}

function findAccount(ctx: SystemCtx, email: string): Promise<AccountRow | undefined> {
  return ctx.central.row<AccountRow>(sql`
    SELECT id, name, ${shownEmail} AS email, ${isShownEmailVerified} AS email_verified, password_hash,
      password_exposed_at IS NOT NULL AS password_exposed,
      two_factor_confirmed_at IS NOT NULL AS two_factor_enabled, EXISTS (
        SELECT FROM sessions s WHERE s.user_id = u.id AND s.kind = 'login' AND s.network = ${ctx.client.network}
          AND s.created_at > now() - interval '90 days') AS is_known_network
    FROM users u WHERE email = ${email} AND kind = 'person' AND disabled_at IS NULL`);
}
