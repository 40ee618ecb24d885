import {
  type Db,
  extend,
  type HelpersOf,
  NewNotification,
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
import { mailMembers } from './mail/mail-members.ts';
import { mailOwners } from './mail/mail-owners.ts';
import { commonPasswordProblem } from './profile/common-passwords.ts';
import { sendPasswordReset } from './profile/password-reset.ts';
import { createPersonalClient, personalClient } from './profile/personal-tokens.ts';

/** A transaction in the central database. */
const Transaction = Type.Unsafe<Db>({});
const Text = Type.String();
const noInput = Type.Object({});

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
    description: 'Only people who may sign in. Without ids, all of them.',
    input: Type.Object({ ids: Type.Optional(Type.Array(UserId)) }),
    run: (ctx, { ids }) => findMembers(ctx, ids),
  }),
  storeNotification: systemHelper({
    summary: 'Store a notification of users without a tenant',
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
      'is mailed a link to choose a password.',
    system: true,
    input: Type.Object({ db: Transaction, tenantId: Text, email: Text, name: Text }),
    run: async (ctx, { db, ...owner }) => {
      const added = await addOwner(db, owner);
      if (added?.isNew) await sendPasswordReset(ctx, db, added.userId);
      return added;
    },
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
async function findMembers(ctx: SystemCtx, ids: readonly number[] | undefined): Promise<Map<number, Member>> {
  if (ids?.length === 0) return new Map();
  const isAsked = ids ? sql`m.user_id = ANY(${ids}::bigint[])` : sql`true`;
  const rows = await ctx.central.rows<Member>(sql`
    SELECT u.id, u.name, coalesce(u.email, u.pending_email) AS email, u.timezone FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.tenant_id = ${ctx.tenant.id} AND ${isAsked} AND u.kind = 'person'
      AND u.disabled_at IS NULL`);
  return new Map(rows.map((row) => [row.id, row]));
}
