import {
  and,
  type Db,
  extend,
  NewNotification,
  Nullable,
  type Sql,
  type Static,
  type SystemCtx,
  sql,
  systemOperation,
  Timestamp,
  Type,
  UserId,
  Uuid,
} from '@chowk/kit';
import { getAccounts } from './accounts/accounts.ts';
import { claimDevice, findActiveDevices } from './accounts/device-tokens.ts';
import { storeNotification } from './accounts/notifications.ts';
import { isSeeded, seedRoles } from './accounts/seed.ts';
import { addMember, createUser, isEmailTaken } from './accounts/users.ts';
import { CustomerMail, mailCustomer, Outcome } from './mail/mail-customer.ts';
import { mailMembers } from './mail/mail-members.ts';
import { mailOwners } from './mail/mail-owners.ts';
import { findStanding } from './mail/outbound-standing.ts';
import { passwordProblem } from './profile/common-passwords.ts';
import { sendVerification } from './profile/email.ts';
import { sendPasswordReset } from './profile/password-reset.ts';
import { createPersonalClient, personalClient } from './profile/personal-tokens.ts';
import { TokenAnswer } from './schemas.ts';
import { openLogin } from './sign-in/login.ts';
import { inviteOwner } from './team/owner-invitation.ts';
import { exportTeam, findVerified, importTeam, removeTenant, Team } from './team/tenant-team.ts';

const Text = Type.String();
const noInput = Type.Object({});
const NewOwner = { tenantId: Text, email: Text, name: Text, passwordHash: Type.Optional(Text) };

const Member = Type.Object({
  id: UserId,
  name: Text,
  email: Text,
  timezone: Nullable(Type.String({ description: 'An IANA time zone.' })),
  permissions: Type.Optional(Type.Array(Text, { description: 'Those of the given ones that they have.' })),
});
type Member = Static<typeof Member>;
const NewUser = Type.Object({
  name: Text,
  email: Text,
  passwordHash: Type.Optional(Text),
  emailVerified: Type.Optional(Type.Boolean()),
});

export const operations = {
  'identity.members': systemOperation({
    summary: 'Find the members of the tenant among users, by id',
    description: 'Only people who may sign in. Without ids, all of them, or all with a role.',
    input: Type.Object({
      ids: Type.Optional(Type.Array(UserId)),
      role: Type.Optional(Text),
      permissions: Type.Optional(Type.Array(Text)),
    }),
    output: Type.Array(Member),
    run: findMembers,
  }),
  'identity.hasRole': systemOperation({
    summary: 'Check whether the tenant has a role',
    input: Type.Object({ name: Text }),
    output: Type.Boolean(),
    run: async (ctx, { name }) => (await ctx.central.row(roleNamed(ctx, name))) !== undefined,
  }),
  'identity.outboundStanding': systemOperation({
    summary: 'Find out whether the tenant may write to customers',
    description: 'Whether an Owner has verified the address of the account, and the age of the tenant.',
    input: noInput,
    output: Type.Object({ is_verified: Type.Boolean(), created_at: Timestamp }),
    run: findStanding,
  }),
  'identity.storeNotification': systemOperation({
    summary: 'Store a notification for users, outside a tenant',
    description: 'Called by `ctx.notify`. Nothing is broadcast; a warning is logged.',
    system: true,
    input: extend(NewNotification, { to: Type.Union([UserId, Type.Array(UserId)]) }),
    run: storeNotification,
  }),
  'identity.mailOwners': systemOperation({
    summary: 'Mail the Owners of the tenant',
    input: Type.Object({ subject: Text, paragraphs: Type.Array(Text) }),
    run: mailOwners,
  }),
  'identity.mailCustomer': systemOperation({
    summary: 'Mail a customer in the name of the tenant',
    description:
      'Sends the mail now and returns whether that succeeded. A mail that is sent again has the same id. With `letter` it is sent as a person wrote it, as part of a ' +
      'thread; otherwise each line is a paragraph of the layout of all mails.',
    input: CustomerMail,
    output: Outcome,
    run: mailCustomer,
  }),
  'identity.mailMembers': systemOperation({
    summary: 'Mail members of the tenant',
    description:
      'In the transaction of the tenant, at their verified addresses; users without one get none. A mail whose id was ' +
      'queued within the last day is not queued again.',
    input: Type.Object({
      mails: Type.Array(
        Type.Object({
          id: Uuid,
          user_id: UserId,
          subject: Text,
          paragraphs: Type.Array(Text),
          button: Type.Object({ label: Text, path: Text }),
          warning: Text,
        }),
      ),
    }),
    run: mailMembers,
  }),
  'identity.claimDevice': systemOperation({
    summary: "Bind a push token to the caller's session",
    description: 'A token belongs to the session that claimed it last. Returns the id of the session.',
    input: Type.Object({ token: Text }),
    output: Text,
    run: claimDevice,
  }),
  'identity.activeDevices': systemOperation({
    summary: 'Find the push tokens that may get messages',
    description: 'Only tokens whose session has not ended and whose user is a member of the tenant.',
    input: Type.Object({ devices: Type.Array(Type.Object({ session_id: Uuid, token: Text })) }),
    output: Type.Array(Text),
    run: findActiveDevices,
  }),
  'identity.hashPassword': systemOperation({
    summary: 'Hash a password',
    system: true,
    input: Type.Object({ password: Text }),
    output: Text,
    run: ({ system, client }, { password }) => getAccounts(system).passwords.hash(password, client),
  }),
  'identity.verifyPassword': systemOperation({
    summary: 'Verify a password',
    system: true,
    input: Type.Object({ password: Text, hash: Text }),
    output: Type.Boolean(),
    run: ({ system, client }, { password, hash }) => getAccounts(system).passwords.verify(password, hash, client),
  }),
  'identity.passwordProblem': systemOperation({
    summary: 'Check whether a password is too common',
    description: 'Returns the problem, or `null`.',
    system: true,
    input: Type.Object({ password: Text }),
    output: Nullable(Text),
    run: async (_ctx, { password }) => passwordProblem(password) ?? null,
  }),
  'identity.hasUsers': systemOperation({
    summary: 'Check whether there are users',
    system: true,
    input: noInput,
    output: Type.Boolean(),
    run: async ({ central }) => (await central.row(sql`SELECT FROM users LIMIT 1`)) !== undefined,
  }),
  'identity.isEmailTaken': systemOperation({
    summary: 'Check whether a user has an email address',
    system: true,
    input: Type.Object({ email: Text }),
    output: Type.Boolean(),
    run: ({ central }, { email }) => isEmailTaken(central, email),
  }),
  'identity.createOwner': systemOperation({
    summary: 'Create the Owner of a tenant',
    description: 'Returns `null` if the address is taken.',
    system: true,
    input: Type.Object({ tenantId: Text, user: NewUser }),
    output: Nullable(UserId),
    run: async ({ central }, { tenantId, user }) => {
      const userId = await createUser(central, user);
      if (userId !== undefined) await addMember(central, { userId, tenantId, role: 'Owner' });
      return userId ?? null;
    },
  }),
  'identity.inviteOwner': systemOperation({
    summary: 'Create the Owner of a tenant, or invite an existing user to become the Owner',
    description:
      'A person with an account is mailed a link to agree, unless already a member; then `userId` is null. A new user is mailed ' +
      'a link to choose a password or, with one, to verify the address. Returns `null` if the account is disabled.',
    system: true,
    input: Type.Object(NewOwner),
    output: Nullable(Type.Object({ userId: Nullable(UserId) })),
    run: async (ctx, owner) => {
      const userId = await createUser(ctx.central, owner);
      if (userId === undefined) return askToOwn(ctx, owner);
      await addMember(ctx.central, { userId, tenantId: owner.tenantId, role: 'Owner' });
      await welcome(ctx, { ...owner, userId });
      return { userId };
    },
  }),
  'identity.registerOwner': systemOperation({
    summary: 'Create a user as the Owner of a tenant',
    description: 'Returns the id, or `null` if the address is taken.',
    system: true,
    input: Type.Object(NewOwner),
    output: Nullable(UserId),
    run: async (ctx, owner) => {
      const userId = await createUser(ctx.central, owner);
      if (userId === undefined) return null;
      await addMember(ctx.central, { userId, tenantId: owner.tenantId, role: 'Owner' });
      await welcome(ctx, { ...owner, userId });
      return userId;
    },
  }),
  'identity.makeOwner': systemOperation({
    summary: 'Make a user the Owner of a tenant',
    system: true,
    input: Type.Object({ tenantId: Text, userId: UserId }),
    run: ({ central }, { tenantId, userId }) => addMember(central, { userId, tenantId, role: 'Owner' }),
  }),
  'identity.exportTeam': systemOperation({
    summary: 'Read the members and the own roles of a tenant for its archive',
    system: true,
    input: Type.Object({ tenantId: Text }),
    output: Team,
    run: (ctx, { tenantId }) => exportTeam(ctx, tenantId),
  }),
  'identity.findVerified': systemOperation({
    summary: 'Find people by their verified addresses',
    system: true,
    input: Type.Object({ emails: Type.Array(Text) }),
    output: Type.Array(Type.Object({ email: Text, id: UserId })),
    run: ({ central }, { emails }) => findVerified(central, emails),
  }),
  'identity.importTeam': systemOperation({
    summary: 'Create the roles of an archive and add its members',
    description: 'Only people who have verified their addresses. Returns the addresses of others.',
    system: true,
    input: Type.Object({ tenantId: Text, team: Team }),
    output: Type.Array(Text),
    run: ({ central }, { tenantId, team }) => importTeam(central, tenantId, team),
  }),
  'identity.removeTenant': systemOperation({
    summary: 'Delete the API clients of a tenant that is being deleted, and record the deletion',
    system: true,
    input: Type.Object({ tenant: Type.Object({ id: Text, name: Text }) }),
    run: (ctx, { tenant }) => removeTenant(ctx, ctx.central, tenant),
  }),
  'identity.signIn': systemOperation({
    summary: 'Open a session of a user who has just chosen a password',
    system: true,
    input: Type.Object({ userId: UserId, passwordHash: Text }),
    output: TokenAnswer,
    run: (ctx, { userId, passwordHash }) => openLogin(ctx, { id: userId, password_hash: passwordHash }),
  }),
  'identity.setUp': systemOperation({
    summary: 'Create the signing keys and the client of personal access tokens if they are missing',
    system: true,
    input: noInput,
    output: Type.Object({ keysCreated: Type.Boolean() }),
    run: async ({ central, system }) => {
      const { created } = await getAccounts(system).keys.ensure();
      await createPersonalClient(central);
      return { keysCreated: created };
    },
  }),
  'identity.isSetUp': systemOperation({
    summary: 'Check whether signing keys and the client of personal access tokens exist',
    system: true,
    input: noInput,
    output: Type.Boolean(),
    run: ({ central }) => isSetUp(central),
  }),
  'identity.seed': systemOperation({
    summary: 'Insert the missing system roles and permissions',
    system: true,
    input: noInput,
    output: Type.Object({ roles: Type.Integer(), permissions: Type.Integer() }),
    run: ({ central, system }) => seedRoles(central, system.permissions),
  }),
  'identity.isSeeded': systemOperation({
    summary: 'Check whether all system roles and permissions exist',
    system: true,
    input: noInput,
    output: Type.Boolean(),
    run: ({ system }) => isSeeded(system),
  }),
};

async function isSetUp(central: Db): Promise<boolean> {
  const row = await central.row(sql`
    SELECT WHERE EXISTS (SELECT FROM signing_keys WHERE retired_at IS NULL)
      AND EXISTS (SELECT FROM oauth_clients WHERE id = ${personalClient})`);
  return row !== undefined;
}

/** Service users of API clients are not members. */
async function findMembers(
  ctx: SystemCtx,
  { ids, role, permissions }: { ids?: readonly number[]; role?: string; permissions?: readonly string[] },
): Promise<Member[]> {
  if (ids?.length === 0) return [];
  const isAsked = and([
    ...(ids ? [sql`m.user_id = ANY(${ids}::bigint[])`] : []),
    ...(role === undefined ? [] : [sql`m.role_id = (${roleNamed(ctx, role)})`]),
  ]);
  const members = await ctx.central.rows<Omit<Member, 'permissions'>>(sql`
    SELECT u.id, u.name, coalesce(u.email, u.pending_email) AS email, u.timezone
    FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.tenant_id = ${ctx.tenant.id} AND u.kind = 'person' AND u.disabled_at IS NULL ${isAsked}`);
  if (!permissions) return members;
  const { memberships } = getAccounts(ctx.system);
  const found: Member[] = [];
  for (const member of members) {
    // One after the other: cached, and a large team must not take all connections.
    const rights = await memberships.findRights(member.id, ctx.tenant.id);
    found.push({ ...member, permissions: permissions.filter((name) => rights?.permissions.has(name)) });
  }
  return found;
}

interface NewOwnerUser {
  readonly userId: number;
  readonly tenantId: string;
  readonly name: string;
  readonly email: string;
  readonly passwordHash?: string | undefined;
}

/** A member becomes the Owner at once; others must agree. `null` if the account is disabled. */
async function askToOwn(
  ctx: SystemCtx,
  { tenantId, email }: Pick<NewOwnerUser, 'tenantId' | 'email'>,
): Promise<{ userId: number | null } | null> {
  const person = await ctx.central.row<{ id: number; name: string; isMember: boolean }>(sql`
    SELECT id, name, EXISTS (SELECT FROM memberships WHERE user_id = u.id AND tenant_id = ${tenantId}) AS "isMember"
    FROM users u WHERE email = ${email} AND disabled_at IS NULL`);
  if (!person) return null;
  const { id: userId, name } = person;
  if (!person.isMember) {
    await inviteOwner(ctx, ctx.central, { tenantId, email, name });
    return { userId: null };
  }
  await addMember(ctx.central, { userId, tenantId, role: 'Owner' });
  return { userId };
}

/** Mails a link to choose a password or, if the user has one, to verify the address. */
async function welcome(ctx: SystemCtx, { passwordHash, ...user }: NewOwnerUser): Promise<void> {
  if (passwordHash === undefined) await sendPasswordReset(ctx, ctx.central, user.userId);
  else await sendVerification(ctx, ctx.central, user);
}

/** A system role or one of the tenant's own. */
function roleNamed({ tenant }: SystemCtx, name: string): Sql {
  return sql`
    SELECT id FROM roles WHERE (tenant_id IS NULL OR tenant_id = ${tenant.id}) AND lower(name) = lower(${name}) LIMIT 1`;
}
