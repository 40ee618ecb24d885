import { type Db, sql } from '@chowk/kit';
import { ownerRole, permissions, roles } from './permissions.ts';

/** What modules bring along beyond the platform's own permissions. */
export interface DeclaredPermission {
  readonly name: string;
  readonly module: string;
}

/** Whether every role and every permission is there. */
export async function hasRoles(central: Db, declared: readonly DeclaredPermission[]): Promise<boolean> {
  const wanted = [...permissions, ...declared].map(({ name }) => name);
  const row = await central.row<{ complete: boolean }>(sql`
    SELECT (SELECT array_agg(name) FROM permissions) @> ${wanted}::text[]
      AND (SELECT array_agg(name) FROM roles WHERE tenant_id IS NULL) @> ${Object.keys(roles)}::text[] AS complete`);
  return row?.complete ?? false;
}

/** Adds the roles and permissions that are missing; what a tenant has made of its own roles is left alone. */
export async function seedRoles(
  central: Db,
  declared: readonly DeclaredPermission[],
): Promise<{ roles: number; permissions: number }> {
  const known = new Set(permissions.map(({ name }) => name));
  const others = declared
    .filter(({ name }) => !known.has(name))
    .map(({ name, module }) => ({ name, category: module, is_sensitive: false }));
  const grants = Object.entries(roles).flatMap(([role, { permissions: names }]) => [
    ...names.map((permission) => ({ role, permission })),
    ...(['Admin', ownerRole].includes(role) ? others.map(({ name }) => ({ role, permission: name })) : []),
  ]);
  await central.tx(async (tx) => {
    await tx.run(sql`
      INSERT INTO permissions (name, category, is_sensitive)
      SELECT name, category, is_sensitive FROM jsonb_to_recordset(${JSON.stringify([...permissions, ...others])}::jsonb)
        AS wanted(name text, category text, is_sensitive boolean)
      ON CONFLICT (name) DO NOTHING`);
    await tx.run(sql`
      INSERT INTO roles (name, description)
      SELECT name, description FROM jsonb_to_recordset(${JSON.stringify(systemRoles())}::jsonb)
        AS wanted(name text, description text)
      ON CONFLICT (coalesce(tenant_id, ''), lower(name)) DO NOTHING`);
    await tx.run(sql`
      INSERT INTO role_permissions (role_id, permission)
      SELECT r.id, permission FROM jsonb_to_recordset(${JSON.stringify(grants)}::jsonb)
        AS wanted(role text, permission text) JOIN roles r ON r.name = wanted.role AND r.tenant_id IS NULL
      ON CONFLICT DO NOTHING`);
  });
  return { roles: Object.keys(roles).length, permissions: permissions.length + others.length };
}

function systemRoles() {
  return Object.entries(roles).map(([name, { description }]) => ({ name, description }));
}
