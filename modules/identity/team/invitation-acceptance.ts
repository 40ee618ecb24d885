import {
  type Db,
  empty,
  invalid,
  NewPassword,
  type Sql,
  type Static,
  type SystemCtx,
  sql,
  Timestamp,
  Type,
} from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { sendVerification } from '../profile/email.ts';
import { checkNewPassword } from '../profile/passwords.ts';
import { Name, Password, TokenAnswer, UserSummary } from '../schemas.ts';
import { hashOf } from '../secret-tokens.ts';
import { isOpen } from './invitations.ts';

export const OpenInvitation = Type.Object({
  email: Type.String(),
  role: Type.String(),
  tenant: Type.Object({ id: Type.String(), name: Type.String() }),
  invited_by: Type.String(),
  expires_at: Timestamp,
  account_exists: Type.Boolean({ description: 'Whether there is an account with this address to accept it with.' }),
});

export const Acceptance = Type.Object({
  name: Type.Optional(Name),
  password: Type.Optional(Password),
  password_confirmation: Type.Optional(Password),
});
type Acceptance = Static<typeof Acceptance>;

const NewAccount = Type.Object({ name: Name, password: NewPassword, password_confirmation: Password });
type NewAccount = Static<typeof NewAccount>;

export const Accepted = Type.Object({
  message: Type.String(),
  tenant: OpenInvitation.properties.tenant,
  user: UserSummary,
  ...Type.Partial(TokenAnswer).properties,
});

interface Found {
  id: string;
  email: string;
  tenant_id: string;
  tenant_name: string;
  tenant_role: string;
  role_id: number;
  role: string;
  permissions: string[];
  invited_by: string;
  /** What the one who invited may do now. */
  held: string[];
  expires_at: string;
}

interface Account extends UserSummary {
  password_hash: string | null;
}

/** How somebody has shown to be the one who was invited. */
type Proof = { readonly account: Account; readonly byPassword: boolean } | { readonly created: NewAccount };

export async function showInvitation(ctx: SystemCtx, token: string): Promise<Static<typeof OpenInvitation>> {
  const found = await findByToken(ctx, ctx.central, token);
  if (!found) throw fail('identity.invitation_not_found');
  const { email, role, invited_by, expires_at } = found;
  const account_exists = (await findAccount(ctx.central, email)) !== undefined;
  return { email, role, tenant: tenantOf(found), invited_by, expires_at, account_exists };
}

/** Makes the one who was invited a member. Of many who try at once, one is let in. */
export async function acceptInvitation(ctx: SystemCtx, token: string, given: Acceptance) {
  const invitation = await findByToken(ctx, ctx.central, token);
  if (!invitation) throw noLongerGood();
  const proof = await prove(ctx, invitation, given);
  const passwordHash = 'created' in proof ? await ctx.platform.passwords.hash(proof.created.password) : undefined;
  const user = await ctx.central.tx(async (tx) => {
    if (!(await findByToken(ctx, tx, token, sql`FOR UPDATE OF i`))) throw noLongerGood();
    const account =
      'created' in proof
        ? await createAccount(ctx, tx, { name: proof.created.name, email: invitation.email, passwordHash })
        : proof.account;
    await join(ctx, tx, invitation, account.id);
    return account;
  });
  if ('created' in proof) {
    const { id: userId, name, email } = user;
    await sendVerification(ctx, { userId, name, email, tenantId: invitation.tenant_id });
  }
  return answerFor(ctx, invitation, user, proof);
}

async function answerFor(ctx: SystemCtx, invitation: Found, { password_hash: _, ...user }: Account, proof: Proof) {
  const signsIn = 'created' in proof || proof.byPassword;
  const session = { userId: user.id, kind: 'login', client: ctx.client } as const;
  return {
    created: 'created' in proof,
    body: {
      message: `You are a member of ${invitation.tenant_name} now.`,
      tenant: tenantOf(invitation),
      user,
      ...(signsIn ? await ctx.platform.sessions.open(session) : {}),
    },
  };
}

/**
 * A link alone lets nobody into an account that is there already: it takes the account's session or its password. Where
 * there is none, the link is what proves that the address is read, and a new account is made.
 */
async function prove(ctx: SystemCtx, { email }: Found, given: Acceptance): Promise<Proof> {
  const account = await findAccount(ctx.central, email);
  if (ctx.userId !== undefined) return { account: bySession(ctx, account), byPassword: false };
  if (account) return { account: await byPassword(ctx, account, given.password), byPassword: true };
  const errors = ctx.check(NewAccount, given);
  if (errors) throw invalid(errors);
  const created = given as NewAccount;
  checkNewPassword(created);
  return { created };
}

function bySession(ctx: SystemCtx, account: Account | undefined): Account {
  if (account?.id !== ctx.user.id) throw fail('identity.invited_somebody_else', { email: ctx.user.email });
  const { kind, scopes } = ctx.session;
  if (kind === 'personal' || kind === 'client' || scopes) throw fail('identity.session_only');
  return account;
}

async function byPassword(ctx: SystemCtx, account: Account, password: string | undefined): Promise<Account> {
  if (password === undefined) throw mustProve();
  const { limits, options, passwords } = ctx.platform;
  const key = `invitation password ${account.id}`;
  const perMinute = options.loginFailuresPerMinute;
  const fits = await passwords.verify(password, account.password_hash, () => {
    if (!limits.has(key, perMinute)) limits.take(key, perMinute);
  });
  if (!fits) {
    limits.take(key, perMinute);
    throw invalid({ password: ['This is not the password of the account with the invited address.'] });
  }
  // A password alone is not enough for who has asked for more.
  if (account.two_factor_enabled) throw fail('identity.sign_in_to_accept', {}, { body: { two_factor_required: true } });
  return account;
}

function mustProve() {
  return invalid({ password: ['There is an account with the invited address: sign in to it, or send its password.'] });
}

function noLongerGood() {
  return invalid({
    token: ['This invitation is not valid: it was used, withdrawn or replaced, or it has expired. Ask for a new one.'],
  });
}

/** An invitation that can be accepted: it ends too when the one who invited may no longer give the role. */
async function findByToken(ctx: SystemCtx, db: Db, token: string, lock: Sql = empty): Promise<Found | undefined> {
  const found = await db.row<Found>(sql`
    SELECT i.id, i.email, i.expires_at, t.id AS tenant_id, t.name AS tenant_name, t.role AS tenant_role,
      r.id AS role_id, r.name AS role, u.name AS invited_by,
      ARRAY(SELECT permission FROM role_permissions WHERE role_id = r.id) AS permissions,
      coalesce(m.permissions, ARRAY(SELECT permission FROM role_permissions WHERE role_id = m.role_id)) AS held
    FROM invitations i
      JOIN tenants t ON t.id = i.tenant_id AND t.status = 'active'
      JOIN roles r ON r.id = i.role_id
      JOIN users u ON u.id = i.invited_by AND u.disabled_at IS NULL
      JOIN memberships m ON m.user_id = u.id AND m.tenant_id = t.id
    WHERE i.token_hash = ${hashOf(token)} AND ${isOpen(ctx)} ${lock}`);
  return found && mayStillInvite(ctx, found) ? found : undefined;
}

function mayStillInvite(ctx: SystemCtx, { permissions, held, tenant_role }: Found): boolean {
  const { actsIn } = ctx.platform.permissions;
  const missing = ['team.invite', ...permissions].filter((name) => actsIn(name, tenant_role) && !held.includes(name));
  return missing.length === 0;
}

/** One that was closed keeps its address: nobody else is to be let in with it. */
function findAccount(db: Db, email: string): Promise<Account | undefined> {
  return db.row<Account>(sql`
    SELECT id, name, email, email_verified_at IS NOT NULL AS email_verified,
      two_factor_confirmed_at IS NOT NULL AS two_factor_enabled,
      CASE WHEN disabled_at IS NULL THEN password_hash END AS password_hash
    FROM users WHERE email = ${email}`);
}

async function createAccount(
  ctx: SystemCtx,
  tx: Db,
  { name, email, passwordHash }: { name: string; email: string; passwordHash: string | undefined },
): Promise<Account> {
  const id = await ctx.platform.accounts.create(tx, { name, email, passwordHash });
  // Somebody has made one in the meantime.
  if (id === undefined) throw mustProve();
  return { id, name, email, email_verified: false, two_factor_enabled: false, password_hash: null };
}

async function join(ctx: SystemCtx, tx: Db, invitation: Found, userId: number): Promise<void> {
  const { id, tenant_id: tenantId, role_id, role } = invitation;
  const joined = await tx.run(sql`
    INSERT INTO memberships (user_id, tenant_id, role_id) VALUES (${userId}, ${tenantId}, ${role_id})
    ON CONFLICT DO NOTHING`);
  if (joined === 0) throw fail('identity.already_member');
  await tx.run(sql`UPDATE invitations SET accepted_at = ${ctx.now().toISOString()} WHERE id = ${id}`);
  await record(ctx, { action: 'invitation_accepted', userId, tenantId, details: { role } }, tx);
}

function tenantOf({ tenant_id: id, tenant_name: name }: Found) {
  return { id, name };
}
