import { type Db, sql } from '@chowk/kit';
import { addMember, createUser, type NewUser } from './users.ts';

/**
 * Makes the user with a verified address the Owner of a tenant, or creates the user. `undefined` if
 * the address is not free and not verified: whoever has entered it may not own it.
 */
export async function addOwner(
  db: Db,
  { tenantId, email, name, passwordHash }: NewUser & { readonly tenantId: string },
): Promise<{ userId: number; isNew: boolean } | undefined> {
  const known = await db.row<{ id: number }>(sql`
    SELECT id FROM users WHERE email = ${email} AND email_verified_at IS NOT NULL AND kind = 'person'
      AND disabled_at IS NULL`);
  const userId = known?.id ?? (await createUser(db, { name, email, passwordHash }));
  if (userId === undefined) return undefined;
  await addMember(db, { userId, tenantId, role: 'Owner' });
  return { userId, isNew: known === undefined };
}
