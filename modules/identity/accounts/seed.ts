import { type Db, type SystemServices, sql } from '@chowk/kit';
import { findCategory } from './permissions.ts';
import { systemRoles } from './system-roles.ts';

const roleNames = systemRoles.map(({ name }) => name);

interface SeedState {
  readonly hasRoles: boolean;
  readonly hasPermissions: boolean;
}

/**
 * Inserts the missing system roles, permissions and grants. The roles of tenants are not changed. Removes nothing: other rings may
 * have versions of modules with other permissions.
 */
export async function seedRoles(
  db: Db,
  permissions: SystemServices['permissions'],
): Promise<{ roles: number; permissions: number }> {
  const rows = permissions.map(({ name, description, isSensitive }) => ({
    name,
    description,
    category: findCategory(name),
    is_sensitive: isSensitive,
  }));
  // In one order, so that processes that seed at once do not wait for each other in a circle.
  rows.sort((one, other) => one.name.localeCompare(other.name));
  const roles = systemRoles.map(({ name, description }) => ({ name, description }));
  const grants = systemRoles.flatMap(({ name: role, holds }) =>
    permissions
      .filter(({ name, roles }) => holds(name) || roles.includes(role))
      .map(({ name: permission }) => ({ role, permission })),
  );
  await db.tx(async (tx) => {
    await tx.run(sql`
      INSERT INTO permissions (name, category, description, is_sensitive)
      SELECT name, category, description, is_sensitive FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS declared(name text, category text, description text, is_sensitive boolean)
      ON CONFLICT (name) DO UPDATE SET category = excluded.category, description = excluded.description,
        is_sensitive = excluded.is_sensitive
      WHERE (permissions.category, permissions.description, permissions.is_sensitive)
        IS DISTINCT FROM (excluded.category, excluded.description, excluded.is_sensitive)`);
    await tx.run(sql`
      INSERT INTO roles (name, description)
      SELECT name, description FROM jsonb_to_recordset(${JSON.stringify(roles)}::jsonb)
        AS system_roles(name text, description text)
      ON CONFLICT (coalesce(tenant_id, ''), lower(name)) DO NOTHING`);
    await tx.run(sql`
      INSERT INTO role_permissions (role_id, permission)
      SELECT r.id, permission FROM jsonb_to_recordset(${JSON.stringify(grants)}::jsonb)
        AS grants(role text, permission text) JOIN roles r ON r.name = grants.role AND r.tenant_id IS NULL
      ON CONFLICT DO NOTHING`);
  });
  return { roles: roles.length, permissions: rows.length };
}

/** Whether every system role and every declared permission exists. */
export async function isSeeded({ central, permissions }: SystemServices): Promise<boolean> {
  const { hasRoles, hasPermissions } = await readSeedState(central, permissions);
  return hasRoles && hasPermissions;
}

/** On a seeded platform, adds the permissions of modules that were added since. */
export async function addMissingPermissions({ central, permissions }: SystemServices): Promise<void> {
  const { hasRoles, hasPermissions } = await readSeedState(central, permissions);
  if (hasRoles && !hasPermissions) await seedRoles(central, permissions);
}

async function readSeedState(db: Db, permissions: SystemServices['permissions']): Promise<SeedState> {
  const names = permissions.map(({ name }) => name);
  const row = await db.row<SeedState>(sql`
    SELECT ARRAY(SELECT name FROM roles WHERE tenant_id IS NULL) @> ${roleNames}::text[] AS "hasRoles",
      ARRAY(SELECT name FROM permissions) @> ${names}::text[] AS "hasPermissions"`);
  return row ?? { hasRoles: false, hasPermissions: false };
}
