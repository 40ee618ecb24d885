import { type Ctx, type Db, type HelpersOf, type SystemCtx, sql, systemHelper } from '@chowk/kit';
import { accountsOf } from './accounts/accounts.ts';
import { isSeeded, seedRoles } from './accounts/seed.ts';
import { addMember, createUser, isEmailTaken, type NewUser } from './accounts/users.ts';
import { createPersonalClient, personalClient } from './profile/personal-tokens.ts';

interface Member {
  readonly id: number;
  readonly name: string;
  readonly email: string;
}

export const helpers = {
  /** The members of the tenant among these users, by id. */
  members: (ctx: Ctx, { ids }: { ids: readonly number[] }): Promise<Map<number, Member>> =>
    findMembers(ctx as SystemCtx, ids),

  hashPassword: systemHelper(({ system }, { password }: { password: string }) =>
    accountsOf(system).passwords.hash(password),
  ),
  verifyPassword: systemHelper(({ system }, { password, hash }: { password: string; hash: string }) =>
    accountsOf(system).passwords.verify(password, hash),
  ),
  hasUsers: systemHelper(async ({ central }) => (await central.row(sql`SELECT FROM users LIMIT 1`)) !== undefined),
  isEmailTaken: systemHelper(({ central }, { email }: { email: string }) => isEmailTaken(central, email)),
  /** Creates the Owner of a tenant in the transaction `db`; `undefined` if the address is taken. */
  createOwner: systemHelper(async (_ctx, { db, tenantId, user }: { db: Db; tenantId: string; user: NewUser }) => {
    const userId = await createUser(db, user);
    if (userId !== undefined) await addMember(db, { userId, tenantId, role: 'Owner' });
    return userId;
  }),

  /** Creates the signing keys and the client of personal access tokens if they are missing. */
  setUp: systemHelper(async ({ central, system }) => {
    const { created } = await accountsOf(system).keys.ensure();
    await createPersonalClient(central);
    return { keysCreated: created };
  }),
  isSetUp: systemHelper(({ central }) => isSetUp(central)),
  /** Inserts the missing system roles and permissions in the transaction `db`. */
  seed: systemHelper(({ system }, { db }: { db: Db }) => seedRoles(db, system.permissions)),
  isSeeded: systemHelper(({ system }) => isSeeded(system)),
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
async function findMembers(ctx: SystemCtx, ids: readonly number[]): Promise<Map<number, Member>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.central.rows<Member>(sql`
    SELECT u.id, u.name, u.email FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.tenant_id = ${ctx.tenant.id} AND m.user_id = ANY(${ids}::bigint[]) AND u.kind = 'person'
      AND u.disabled_at IS NULL`);
  return new Map(rows.map((row) => [row.id, row]));
}
