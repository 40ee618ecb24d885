import { type Db, type FieldError, Issues, invalid, type Sql, type Static, type SystemCtx, sql } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { hasEffectIn } from '../accounts/permissions.ts';
import { createUser, isShownEmailVerified, shownEmail } from '../accounts/users.ts';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { sendVerification } from '../profile/email.ts';
import { checkNewPassword } from '../profile/new-password.ts';
import { mustBeOwnSession } from '../profile/own-session.ts';
import type { UserSummary } from '../schemas.ts';
import { hashSecret } from '../secret-tokens.ts';
import { limitGuesses } from '../sign-in/limit-guesses.ts';
import { openLogin } from '../sign-in/login.ts';
import {
  type Acceptance,
  type Accepted,
  type InvitationToken,
  NewAccount,
  type OpenInvitation,
} from './invitation-schemas.ts';
import { isOpen } from './invitations.ts';

export function joinedMessage({ tenant }: Accepted): string {
  return `You are now a member of ${tenant.name}.`;
}

interface InvitationRow {
  readonly id: string;
  readonly email: string;
  readonly tenant: Accepted['tenant'];
  readonly tenant_role: string;
  readonly role_id: number;
  readonly role: string;
  readonly permissions: readonly string[];
  readonly invited_by: string;
  /** The current permissions of the inviter. */
  readonly held: readonly string[];
  /** The platform asks a person to own a new tenant. */
  readonly by_platform: boolean;
  readonly expires_at: string;
}

interface Account extends UserSummary {
  readonly password_hash: string | null;
  readonly password_exposed: boolean;
}

/** An account to create. */
interface AccountForm {
  readonly name: string;
  readonly passwordHash: string;
}

interface Invited {
  readonly tenant: Accepted['tenant'];
  /** The account with the invited address, if there is one. */
  readonly account: Account | undefined;
}

export async function getInvitation(
  ctx: SystemCtx,
  { invitation: token }: InvitationToken,
): Promise<Static<typeof OpenInvitation>> {
  const invitation = await findByToken(ctx, ctx.central, token);
  if (!invitation) throw fail('identity.invitation_not_found');
  const { email, role, tenant, invited_by, expires_at } = invitation;
  const account_exists = (await findAccount(ctx.central, email)) !== undefined;
  return { email, role, tenant, invited_by, expires_at, account_exists };
}

/**
 * The link alone does not give access to an existing account: that needs its session or its password. If there is no
 * account, the link proves the address, and an account is created.
 */
export async function checkAcceptance(
  ctx: SystemCtx,
  { invitation: token, ...form }: Partial<Acceptance>,
  issues: Issues,
): Promise<Invited | undefined> {
  if (token === undefined) return undefined;
  const invitation = await findByToken(ctx, ctx.central, token);
  if (!invitation) throw notOpen();
  const account = await findAccount(ctx.central, invitation.email);
  if (ctx.userId !== undefined) await mustBeCaller(ctx, account);
  else if (account) await checkAccountPassword(ctx, account, form.password, issues);
  else checkNewAccount(ctx, form, issues);
  return { tenant: invitation.tenant, account };
}

/** Adds the invited person to the tenant. One of several concurrent requests succeeds. */
export async function acceptInvitation(
  ctx: SystemCtx,
  { invitation: token, ...form }: Acceptance,
  { tenant, account }: Invited,
): Promise<Accepted> {
  const person = account ?? (await hashPassword(ctx, form as NewAccount));
  const { password_hash, password_exposed: _, ...user } = await join(ctx, token, person);
  const tokens = ctx.userId === undefined ? await openLogin(ctx, { id: user.id, password_hash }) : {};
  return { account_created: !account, tenant, user, ...tokens };
}

async function hashPassword(ctx: SystemCtx, { name, password }: NewAccount): Promise<AccountForm> {
  return { name, passwordHash: await getAccounts(ctx.system).passwords.hash(password, ctx.client) };
}

/** A field that the schema has refused gets no further problem. */
function checkNewAccount(ctx: SystemCtx, form: Partial<NewAccount>, issues: Issues): void {
  const problems = new Issues();
  problems.addAll(ctx.check(NewAccount, form));
  checkNewPassword(form, problems);
  for (const [field, list] of Object.entries(problems.errors)) if (!issues.has(field)) issues.addAll({ [field]: list });
}

async function mustBeCaller(ctx: SystemCtx, account: Account | undefined): Promise<void> {
  if (account?.id !== ctx.user.id)
    throw fail('identity.wrong_account', { email: ctx.user.signInEmail ?? ctx.user.email });
  await mustBeOwnSession(ctx);
}

async function checkAccountPassword(
  ctx: SystemCtx,
  account: Account,
  password: string | undefined,
  issues: Issues,
): Promise<void> {
  if (password === undefined) {
    if (!issues.has('password')) issues.addAll({ password: [mustProve] });
    return;
  }
  const limit = { key: `invitation password ${account.id}`, perMinute: ctx.system.options.loginFailuresPerMinute };
  const isCorrect = await limitGuesses(ctx, [limit], () =>
    getAccounts(ctx.system).passwords.verify(password, account.password_hash, ctx.client),
  );
  if (!isCorrect) issues.add('password', 'This is not the password of the account with the invited address.');
  else if (account.password_exposed) throw fail('auth.password_exposed');
  else if (account.two_factor_enabled) {
    throw fail('identity.sign_in_to_accept', {}, { body: { two_factor_required: true } });
  }
}

const mustProve: FieldError = {
  code: 'invalid',
  message: 'An account with the invited address exists. Sign in to it, or send its password.',
};

function notOpen() {
  return invalid({ token: fail('identity.invitation_not_found').message });
}

/** An open invitation of the platform, or one whose inviter may still assign the role. */
async function findByToken(
  ctx: SystemCtx,
  db: Db,
  token: string,
  lock: Sql = sql``,
): Promise<InvitationRow | undefined> {
  const invitation = await db.row<InvitationRow>(sql`
    SELECT i.id, i.email, i.expires_at, json_build_object('id', t.id, 'name', t.name) AS tenant, t.role AS tenant_role,
      r.id AS role_id, r.name AS role, coalesce(u.name, ${platformName}) AS invited_by, i.by_platform,
      ARRAY(SELECT permission FROM role_permissions WHERE role_id = r.id) AS permissions,
      ${heldBy(sql`m`)} AS held
    FROM invitations i
      JOIN tenants t ON t.id = i.tenant_id AND t.status = 'active'
      JOIN roles r ON r.id = i.role_id
      LEFT JOIN users u ON u.id = i.invited_by AND u.disabled_at IS NULL
      LEFT JOIN memberships m ON m.user_id = u.id AND m.tenant_id = t.id
    WHERE i.token_hash = ${hashSecret(token)} AND ${isOpen(ctx)} ${lock}`);
  return invitation && canInvite(invitation) ? invitation : undefined;
}

const platformName = sql`(SELECT value #>> '{}' FROM platform_settings WHERE key = 'platform.name'), 'Chowk'`;

/** The permissions of a membership. Those of an API client are limited to the rights of its maker. */
function heldBy(m: Sql): Sql {
  const permissionsByRole = (roleId: Sql) => sql`SELECT permission FROM role_permissions WHERE role_id = ${roleId}`;
  return sql`CASE WHEN ${m}.permissions IS NULL THEN ARRAY(${permissionsByRole(sql`${m}.role_id`)}) ELSE ARRAY(
    SELECT unnest(${m}.permissions) INTERSECT ${permissionsByRole(sql`(
      SELECT o.role_id FROM oauth_clients c JOIN users maker ON maker.id = c.created_by AND maker.disabled_at IS NULL
        JOIN memberships o ON o.user_id = maker.id AND o.tenant_id = ${m}.tenant_id
      WHERE c.user_id = ${m}.user_id)`)}) END`;
}

function canInvite({ permissions, held, tenant_role, by_platform }: InvitationRow): boolean {
  if (by_platform) return true;
  return ['team.invite', ...permissions].every((name) => held.includes(name) || !hasEffectIn(name, tenant_role));
}

/** Also finds disabled accounts, without their password: their addresses stay taken. */
function findAccount(db: Db, email: string): Promise<Account | undefined> {
  return db.row<Account>(sql`
    SELECT id, name, ${shownEmail} AS email, ${isShownEmailVerified} AS email_verified,
      two_factor_confirmed_at IS NOT NULL AS two_factor_enabled, password_exposed_at IS NOT NULL AS password_exposed,
      CASE WHEN disabled_at IS NULL THEN password_hash END AS password_hash
    FROM users u WHERE u.email = ${email}`);
}

async function join(ctx: SystemCtx, token: string, person: Account | AccountForm): Promise<Account> {
  return ctx.central.tx(async (tx) => {
    const invitation = await findByToken(ctx, tx, token, sql`FOR UPDATE OF i`);
    if (!invitation) throw notOpen();
    const { id, email, tenant, role, role_id } = invitation;
    const account = 'id' in person ? person : await createAccount(tx, { ...person, email });
    const inserted = await tx.run(sql`
      INSERT INTO memberships (user_id, tenant_id, role_id) VALUES (${account.id}, ${tenant.id}, ${role_id})
      ON CONFLICT DO NOTHING`);
    if (inserted === 0) throw fail('identity.already_member');
    const now = ctx.now().toISOString();
    await tx.run(sql`
      UPDATE invitations SET accepted_at = ${now}, accepted_by = ${account.id}, updated_at = ${now} WHERE id = ${id}`);
    const activity = { action: 'invitation_accepted', userId: account.id, tenantId: tenant.id, details: { role } };
    await record(ctx, activity, tx);
    if (!('id' in person)) {
      await sendVerification(ctx, tx, { userId: account.id, name: account.name, email, tenantId: tenant.id });
    }
    return account;
  });
}

async function createAccount(tx: Db, account: AccountForm & { readonly email: string }): Promise<Account> {
  const id = await createUser(tx, account);
  // A concurrent request has created it.
  if (id === undefined) throw invalid({ password: mustProve });
  const { name, email, passwordHash: password_hash } = account;
  const state = { email_verified: false, two_factor_enabled: false, password_exposed: false };
  return { id, name, email, password_hash, ...state };
}
