import {
  and,
  type Db,
  extend,
  type HelpersOf,
  NewNotification,
  type Sql,
  type SystemCtx,
  sql,
  systemHelper,
  Type,
  UserId,
  Uuid,
} from '@chowk/kit';
import { accountsOf } from './accounts/accounts.ts';
import { claimDevice, findActiveDevices } from './accounts/device-tokens.ts';
import { storeNotification } from './accounts/notifications.ts';
import { isSeeded, seedRoles } from './accounts/seed.ts';
import { addOwner } from './accounts/tenant-owner.ts';
import { addMember, createUser, isEmailTaken, type NewUser } from './accounts/users.ts';
import { mailCustomer } from './mail/mail-customer.ts';
import { mailMembers } from './mail/mail-members.ts';
import { mailOwners } from './mail/mail-owners.ts';
import { commonPasswordProblem } from './profile/common-passwords.ts';
import { sendVerification } from './profile/email.ts';
import { sendPasswordReset } from './profile/password-reset.ts';
import { createPersonalClient, personalClient } from './profile/personal-tokens.ts';
import { openLogin } from './sign-in/login.ts';
import { exportTeam, findVerified, importTeam, removeTenant, type Team } from './team/tenant-team.ts';

/** A transaction in the central database. */
const Transaction = Type.Unsafe<Db>({});
const Text = Type.String();
const noInput = Type.Object({});
const NewOwner = { tenantId: Text, email: Text, name: Text, passwordHash: Type.Optional(Text) };

interface Member {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  /** An IANA time zone. */
  readonly timezone: string | null;
}

export const helpers = {
  members: systemHelper({
    summary: 'Find the members of the tenant among users, by id',
    description: 'Only people who may sign in. Without ids, all of them, or all with a role.',
    input: Type.Object({ ids: Type.Optional(Type.Array(UserId)), role: Type.Optional(Text) }),
    run: findMembers,
  }),
  hasRole: systemHelper({
    summary: 'Check whether the tenant has a role',
    input: Type.Object({ name: Text }),
    run: async (ctx, { name }) => (await ctx.central.row(roleNamed(ctx, name))) !== undefined,
  }),
  storeNotification: systemHelper({
    summary: 'Store a notification for users, outside a tenant',
    description: 'Called by `ctx.notify`. Nothing is broadcast; a warning is logged.',
    system: true,
    input: extend(NewNotification, { to: Type.Union([UserId, Type.Array(UserId)]) }),
    run: storeNotification,
  }),
  mailOwners: systemHelper({
    summary: 'Mail the Owners of the tenant',
    input: Type.Object({ subject: Text, paragraphs: Type.Array(Text) }),
    run: mailOwners,
  }),
  mailCustomer: systemHelper({
    summary: 'Mail a customer in the name of the tenant',
    description: 'A mail with an id that was queued before is not queued again.',
    input: Type.Object({ id: Uuid, to: Text, subject: Text, text: Text }),
    run: mailCustomer,
  }),
  mailMembers: systemHelper({
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
  claimDevice: systemHelper({
    summary: "Bind a push token to the caller's session",
    description: 'Only one session has it: the last. Returns the id of the session.',
    input: Type.Object({ token: Text }),
    run: claimDevice,
  }),
  activeDevices: systemHelper({
    summary: 'Find the push tokens that may get messages',
    description: 'Their sessions have not ended, and the users are members of the tenant.',
    input: Type.Object({ devices: Type.Array(Type.Object({ session_id: Uuid, token: Text })) }),
    run: findActiveDevices,
  }),
  hashPassword: systemHelper({
    summary: 'Hash a password',
    system: true,
    input: Type.Object({ password: Text }),
    run: ({ system, client }, { password }) => accountsOf(system).passwords.hash(password, client.network),
  }),
  verifyPassword: systemHelper({
    summary: 'Verify a password',
    system: true,
    input: Type.Object({ password: Text, hash: Text }),
    run: ({ system, client }, { password, hash }) =>
      accountsOf(system).passwords.verify(password, hash, client.network),
  }),
  commonPasswordProblem: systemHelper({
    summary: 'Explain why a password is too common',
    description: 'Returns `undefined` if it is not.',
    system: true,
    input: Type.Object({ password: Text }),
    run: async (_ctx, { password }) => commonPasswordProblem(password),
  }),
  hasUsers: systemHelper({
    summary: 'Check whether there are users',
    system: true,
    input: noInput,
    run: async ({ central }) => (await central.row(sql`SELECT FROM users LIMIT 1`)) !== undefined,
  }),
  isEmailTaken: systemHelper({
    summary: 'Check whether a user has an email address',
    system: true,
    input: Type.Object({ email: Text }),
    run: ({ central }, { email }) => isEmailTaken(central, email),
  }),
  createOwner: systemHelper({
    summary: 'Create the Owner of a tenant',
    description: 'In the transaction `db`; returns `undefined` if the address is taken.',
    system: true,
    input: Type.Object({ db: Transaction, tenantId: Text, user: Type.Unsafe<NewUser>({}) }),
    run: async (_ctx, { db, tenantId, user }) => {
      const userId = await createUser(db, user);
      if (userId !== undefined) await addMember(db, { userId, tenantId, role: 'Owner' });
      return userId;
    },
  }),
  addOwner: systemHelper({
    summary: 'Make a user, or a new one, the Owner of a tenant',
    description:
      'In the transaction `db`; returns `undefined` if the address belongs to a user who has not verified it. A new user ' +
      'without a password is mailed a link to choose one, others a link to verify the address.',
    system: true,
    input: Type.Object({ db: Transaction, ...NewOwner }),
    run: async (ctx, { db, ...owner }) => {
      const added = await addOwner(db, owner);
      if (added?.isNew) await welcome(ctx, db, { ...owner, userId: added.userId });
      return added;
    },
  }),
  registerOwner: systemHelper({
    summary: 'Create a user as the Owner of a tenant',
    description: 'In the transaction `db`; returns the id, or `undefined` if the address is taken.',
    system: true,
    input: Type.Object({ db: Transaction, ...NewOwner }),
    run: async (ctx, { db, ...owner }) => {
      const userId = await createUser(db, owner);
      if (userId === undefined) return undefined;
      await addMember(db, { userId, tenantId: owner.tenantId, role: 'Owner' });
      await welcome(ctx, db, { ...owner, userId });
      return userId;
    },
  }),
  makeOwner: systemHelper({
    summary: 'Make a user the Owner of a tenant',
    description: 'In the transaction `db`.',
    system: true,
    input: Type.Object({ db: Transaction, tenantId: Text, userId: UserId }),
    run: (_ctx, { db, tenantId, userId }) => addMember(db, { userId, tenantId, role: 'Owner' }),
  }),
  exportTeam: systemHelper({
    summary: 'Read the members and the own roles of a tenant for its archive',
    system: true,
    input: Type.Object({ tenantId: Text }),
    run: (ctx, { tenantId }) => exportTeam(ctx, tenantId),
  }),
  findVerified: systemHelper({
    summary: 'Find people by their verified addresses',
    system: true,
    input: Type.Object({ emails: Type.Array(Text) }),
    run: ({ central }, { emails }) => findVerified(central, emails),
  }),
  importTeam: systemHelper({
    summary: 'Create the roles of an archive and add its members',
    description:
      'In the transaction `db`; only people who have verified their addresses. Returns the addresses of others.',
    system: true,
    input: Type.Object({ db: Transaction, tenantId: Text, team: Type.Unsafe<Team>({}) }),
    run: (_ctx, { db, tenantId, team }) => importTeam(db, tenantId, team),
  }),
  removeTenant: systemHelper({
    summary: 'Delete the API clients of a tenant that is being deleted, and record the deletion',
    description: 'In the transaction `db`.',
    system: true,
    input: Type.Object({ db: Transaction, tenant: Type.Object({ id: Text, name: Text }) }),
    run: (ctx, { db, tenant }) => removeTenant(ctx, db, tenant),
  }),
  signIn: systemHelper({
    summary: 'Open a session of a user who has just chosen a password',
    system: true,
    input: Type.Object({ userId: UserId, passwordHash: Text }),
    run: (ctx, { userId, passwordHash }) => openLogin(ctx, { id: userId, password_hash: passwordHash }),
  }),
  setUp: systemHelper({
    summary: 'Create the signing keys and the client of personal access tokens if they are missing',
    system: true,
    input: noInput,
    run: async ({ central, system }) => {
      const { created } = await accountsOf(system).keys.ensure();
      await createPersonalClient(central);
      return { keysCreated: created };
    },
  }),
  isSetUp: systemHelper({
    summary: 'Check whether signing keys and the client of personal access tokens exist',
    system: true,
    input: noInput,
    run: ({ central }) => isSetUp(central),
  }),
  seed: systemHelper({
    summary: 'Insert the missing system roles and permissions',
    description: 'In the transaction `db`.',
    system: true,
    input: Type.Object({ db: Transaction }),
    run: ({ system }, { db }) => seedRoles(db, system.permissions),
  }),
  isSeeded: systemHelper({
    summary: 'Check whether all system roles and permissions exist',
    system: true,
    input: noInput,
    run: ({ system }) => isSeeded(system),
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Helpers {
    identity: HelpersOf<typeof helpers>;
  }
}

async function isSetUp(central: Db): Promise<boolean> {
  const row = await central.row(sql`
    SELECT WHERE EXISTS (SELECT FROM signing_keys WHERE retired_at IS NULL)
      AND EXISTS (SELECT FROM oauth_clients WHERE id = ${personalClient})`);
  return row !== undefined;
}

/** Service users of API clients are not members. */
async function findMembers(
  ctx: SystemCtx,
  { ids, role }: { ids?: readonly number[]; role?: string },
): Promise<Map<number, Member>> {
  if (ids?.length === 0) return new Map();
  const isAsked = and([
    ...(ids ? [sql`m.user_id = ANY(${ids}::bigint[])`] : []),
    ...(role === undefined ? [] : [sql`m.role_id = (${roleNamed(ctx, role)})`]),
  ]);
  const rows = await ctx.central.rows<Member>(sql`
    SELECT u.id, u.name, coalesce(u.email, u.pending_email) AS email, u.timezone
    FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.tenant_id = ${ctx.tenant.id} AND u.kind = 'person' AND u.disabled_at IS NULL ${isAsked}`);
  return new Map(rows.map((row) => [row.id, row]));
}

interface NewUserOfTenant {
  readonly userId: number;
  readonly tenantId: string;
  readonly name: string;
  readonly email: string;
  readonly passwordHash?: string | undefined;
}

/** Mails a link to choose a password or, if the user has one, to verify the address. */
async function welcome(ctx: SystemCtx, db: Db, { passwordHash, ...user }: NewUserOfTenant): Promise<void> {
  if (passwordHash === undefined) await sendPasswordReset(ctx, db, user.userId);
  else await sendVerification(ctx, db, user);
}

/** A system role or one of the tenant's own. */
function roleNamed({ tenant }: SystemCtx, name: string): Sql {
  return sql`
    SELECT id FROM roles WHERE (tenant_id IS NULL OR tenant_id = ${tenant.id}) AND lower(name) = lower(${name}) LIMIT 1`;
}
