import { type Db, Nullable, type Static, type SystemCtx, sql, Type, UserId } from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { deleteClients } from '../oauth/api-client-makers.ts';

/** The roles of a tenant and its members, in an archive. */
export const Team = Type.Object({
  roles: Type.Array(
    Type.Object({ name: Type.String(), description: Type.String(), permissions: Type.Array(Type.String()) }),
  ),
  members: Type.Array(
    Type.Object({
      id: UserId,
      email: Type.String(),
      role: Nullable(Type.String()),
      permissions: Nullable(Type.Array(Type.String())),
    }),
  ),
});
type Team = Static<typeof Team>;

/** Without API clients, whose secrets stay with the installation. */
export async function exportTeam({ central }: SystemCtx, tenantId: string): Promise<Team> {
  const roles = await central.rows<Team['roles'][number]>(sql`
    SELECT name, description,
      ARRAY(SELECT permission FROM role_permissions WHERE role_id = r.id ORDER BY 1) AS permissions
    FROM roles r WHERE tenant_id = ${tenantId} ORDER BY lower(name)`);
  const members = await central.rows<Team['members'][number]>(sql`
    SELECT u.id, coalesce(u.email, u.pending_email) AS email, r.name AS role, m.permissions
    FROM memberships m JOIN users u ON u.id = m.user_id LEFT JOIN roles r ON r.id = m.role_id
    WHERE m.tenant_id = ${tenantId} AND u.kind = 'person' ORDER BY u.id`);
  return { roles, members };
}

/** The people with these verified addresses. */
export function findVerified(central: Db, emails: readonly string[]): Promise<{ id: number; email: string }[]> {
  return central.rows<{ id: number; email: string }>(sql`
    SELECT id, email FROM users
    WHERE email = ANY(${emails}::text[]) AND email_verified_at IS NOT NULL AND kind = 'person' AND disabled_at IS NULL`);
}

/** Returns the addresses of those who were not added: nobody has verified the address, or the role does not exist. */
export async function importTeam(db: Db, tenantId: string, { roles, members }: Team): Promise<string[]> {
  for (const role of roles) await insertRole(db, tenantId, role);
  const emails = members.map(({ email }) => email);
  const users = new Map((await findVerified(db, emails)).map(({ email, id }) => [email, id]));
  const missing: string[] = [];
  for (const { email, role, permissions } of members) {
    const userId = users.get(email);
    const isAdded = userId !== undefined && (await addTo(db, { tenantId, userId, role, permissions }));
    if (!isAdded) missing.push(email);
  }
  return missing;
}

/** Its API clients are deleted, and the activity log of the platform records who is gone. */
export async function removeTenant(ctx: SystemCtx, db: Db, tenant: { id: string; name: string }): Promise<void> {
  await deleteClients(ctx, db, sql`c.tenant_id = ${tenant.id}`);
  await record(ctx, { action: 'tenant_deleted', subjectId: null, tenantId: null, details: tenant }, db);
}

/** Permissions that no module here declares are left out, and names of system roles are theirs. */
async function insertRole(db: Db, tenantId: string, role: Team['roles'][number]): Promise<void> {
  const { name, description, permissions } = role;
  await db.run(sql`
    WITH role AS (
      INSERT INTO roles (tenant_id, name, description)
      SELECT ${tenantId}, ${name}, ${description}
      WHERE NOT EXISTS (SELECT FROM roles WHERE tenant_id IS NULL AND lower(name) = lower(${name}))
      ON CONFLICT DO NOTHING RETURNING id)
    INSERT INTO role_permissions (role_id, permission)
    SELECT role.id, p.name FROM role, permissions p WHERE p.name = ANY(${permissions}::text[])`);
}

interface NewMember {
  readonly tenantId: string;
  readonly userId: number;
  readonly role: string | null;
  readonly permissions: readonly string[] | null;
}

async function addTo(db: Db, { tenantId, userId, role, permissions }: NewMember): Promise<boolean> {
  const added = await db.run(
    role === null
      ? sql`
          INSERT INTO memberships (user_id, tenant_id, permissions)
          SELECT ${userId}, ${tenantId}, ARRAY(SELECT name FROM permissions WHERE name = ANY(${permissions ?? []}::text[]))
          ON CONFLICT DO NOTHING`
      : sql`
          INSERT INTO memberships (user_id, tenant_id, role_id)
          SELECT ${userId}, ${tenantId}, id FROM roles
          WHERE (tenant_id IS NULL OR tenant_id = ${tenantId}) AND lower(name) = lower(${role}) LIMIT 1
          ON CONFLICT DO NOTHING`,
  );
  return added === 1;
}
