import { type Db, sql } from '@chowk/kit';

/** The address of a user `u` as the profile shows it: the one entered last. */
export const shownEmail = sql`coalesce(u.pending_email, u.email)`;
export const isShownEmailVerified = sql`(u.pending_email IS NULL AND u.email_verified_at IS NOT NULL)`;

export interface NewUser {
  readonly name: string;
  readonly email: string;
  readonly passwordHash?: string | undefined;
  readonly emailVerified?: boolean;
}

/** Whether a user signs in with the address. */
export async function isEmailTaken(db: Db, email: string): Promise<boolean> {
  return (await db.row(sql`SELECT FROM users WHERE email = ${email.toLowerCase()}`)) !== undefined;
}

/** Returns the id, or `undefined` if the address is taken. */
export async function createUser(
  db: Db,
  { name, email, passwordHash, emailVerified = false }: NewUser,
): Promise<number | undefined> {
  const user = await db.row<{ id: number }>(sql`
    INSERT INTO users (name, email, password_hash, email_verified_at)
    VALUES (${name}, ${email.toLowerCase()}, ${passwordHash ?? null}, CASE WHEN ${emailVerified}::boolean THEN now() END)
    ON CONFLICT (email) DO NOTHING RETURNING id`);
  return user?.id;
}

/** Adds a user to a tenant with one of the five system roles, or changes the role of a member. */
export async function addMember(
  db: Db,
  { userId, tenantId, role }: { userId: number; tenantId: string; role: string },
): Promise<void> {
  const count = await db.run(sql`
    INSERT INTO memberships (user_id, tenant_id, role_id)
    SELECT ${userId}, ${tenantId}, id FROM roles WHERE tenant_id IS NULL AND name = ${role}
    ON CONFLICT (user_id, tenant_id) DO UPDATE SET role_id = excluded.role_id, updated_at = now()`);
  if (count === 0) throw new Error(`there is no role ${role}; run step 3 of the installation first`);
}
