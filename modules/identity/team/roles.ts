import {
  type Db,
  empty,
  type FieldErrors,
  invalid,
  type Sql,
  type Static,
  type SystemCtx,
  sql,
  Type,
} from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { Name } from '../schemas.ts';
import { mustHold, mustHoldRole } from './grants.ts';

export const Role = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  is_system: Type.Boolean({ description: 'Whether it is one of the roles that every tenant has.' }),
  permissions: Type.Array(Type.String()),
  members: Type.Integer({ description: 'How many members have it.' }),
});
export type Role = Static<typeof Role>;

const Description = Type.String({ maxLength: 500, pattern: '^[^\\p{Cc}]*$' });
const Granted = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 500 });

export const NewRole = Type.Object({
  name: Name,
  description: Type.Optional(Description),
  permissions: Granted,
});
export const RoleChanges = Type.Partial(NewRole);

/** A list without pages must end somewhere. */
const mostRoles = 100;

/** The roles of every tenant first, the highest before the others. */
export function listRoles(ctx: SystemCtx): Promise<Role[]> {
  return ctx.central.rows<Role>(sql`
    SELECT ${columns(ctx)} FROM roles r WHERE ${usable(ctx)}
    ORDER BY r.tenant_id IS NOT NULL, CASE WHEN r.tenant_id IS NULL THEN r.id END, lower(r.name), r.id`);
}

export async function getRole(ctx: SystemCtx, { id }: { id: number }, db: Db = ctx.central): Promise<Role> {
  const role = await db.row<Role>(sql`SELECT ${columns(ctx)} FROM roles r WHERE r.id = ${id} AND ${usable(ctx)}`);
  if (!role) throw fail('identity.role_not_found', { id });
  return role;
}

/** A role by its name, whatever its case, or by its id: no name is a number. */
export function findRole(ctx: SystemCtx, db: Db, role: string | number, lock: Sql = empty): Promise<Role | undefined> {
  const wanted = String(role).trim();
  return db.row<Role>(sql`
    SELECT ${columns(ctx)} FROM roles r
    WHERE ${usable(ctx)} AND (lower(r.name) = lower(${wanted}) OR r.id::text = ${wanted}) ${lock}`);
}

/** The role somebody is to have, which stays as long as the transaction does. */
export async function roleToGive(ctx: SystemCtx, db: Db, role: string | number): Promise<Role> {
  const found = await findRole(ctx, db, role, sql`FOR KEY SHARE OF r`);
  if (!found) throw invalid({ role: ['There is no such role in this tenant.'] });
  mustHoldRole(ctx, found);
  return found;
}

export async function createRole(ctx: SystemCtx, given: Static<typeof NewRole>): Promise<Role> {
  const name = readName(given.name);
  const permissions = [...new Set(given.permissions)];
  return ctx.central.tx(async (tx) => {
    await mustBeKnown(tx, given.permissions);
    mustHold(ctx, permissions);
    await mustBeFree(tx, name);
    const { id } = await insertRole(ctx, tx, { name, description: given.description ?? '' });
    await grant(tx, id, permissions);
    await record(ctx, { action: 'role_created', subjectId: null, details: { role_id: id, name, permissions } }, tx);
    return getRole(ctx, { id }, tx);
  });
}

/**
 * Changes what is given. The role as it was and as it becomes must be within what the caller holds: so nobody adds to
 * its own role, and nobody cuts down the role of those above it.
 */
export async function updateRole(
  ctx: SystemCtx,
  { id }: { id: number },
  changes: Static<typeof RoleChanges>,
): Promise<Role> {
  return ctx.central.tx(async (tx) => {
    const current = await lockOwnRole(ctx, tx, id);
    mustHoldRole(ctx, current);
    const { description = current.description } = changes;
    const name = changes.name === undefined ? current.name : readName(changes.name);
    const wanted = new Set(changes.permissions ?? current.permissions);
    const had = new Set(current.permissions);
    await mustBeKnown(tx, changes.permissions ?? []);
    const added = [...wanted.difference(had)];
    const removed = [...had.difference(wanted)];
    mustHold(ctx, added);
    const renamed = name !== current.name || description !== current.description;
    if (renamed) await mustBeFree(tx, name);
    if (renamed) await saveRole(tx, { id, name, description });
    // Whoever writes permissions, even none, makes every process forget what it knows of every member.
    if (added.length > 0) await grant(tx, id, added);
    if (removed.length > 0) await withdraw(tx, id, removed);
    if (!renamed && added.length + removed.length === 0) return current;
    const details = { role_id: id, name, ...(name === current.name ? {} : { was: current.name }), added, removed };
    await record(ctx, { action: 'role_updated', subjectId: null, details }, tx);
    return getRole(ctx, { id }, tx);
  });
}

/** Deletes a role that nobody has. Open invitations to it end with it. */
export async function deleteRole(ctx: SystemCtx, { id }: { id: number }): Promise<void> {
  await ctx.central.tx(async (tx) => {
    const role = await lockOwnRole(ctx, tx, id);
    mustHoldRole(ctx, role);
    const { members, name } = role;
    if (members > 0) {
      const how = members === 1 ? '1 member' : `${members} members`;
      throw fail('identity.role_in_use', { role: name, members: how });
    }
    await tx.run(sql`DELETE FROM roles WHERE id = ${id}`);
    await record(ctx, { action: 'role_deleted', subjectId: null, details: { role_id: id, name } }, tx);
  });
}

export function listPermissions(ctx: SystemCtx) {
  const order = ctx.platform.permissions.catalogue.map(({ name }) => name);
  return ctx.central.rows<{ name: string; category: string; is_sensitive: boolean }>(sql`
    SELECT name, category, is_sensitive FROM permissions
    ORDER BY array_position(${order}::text[], name), category, name`);
}

function columns(ctx: SystemCtx): Sql {
  return sql`r.id, r.name, r.description, r.tenant_id IS NULL AS is_system,
    ARRAY(SELECT permission FROM role_permissions WHERE role_id = r.id ORDER BY 1) AS permissions,
    (SELECT count(*) FROM memberships m WHERE m.role_id = r.id AND m.tenant_id = ${ctx.tenant.id}) AS members`;
}

/** Of every tenant, or this one's own. */
function usable(ctx: SystemCtx): Sql {
  return sql`(r.tenant_id IS NULL OR r.tenant_id = ${ctx.tenant.id})`;
}

/** Locked before it is read: who is being given the role at this moment is counted, or finds it gone. */
async function lockOwnRole(ctx: SystemCtx, tx: Db, id: number): Promise<Role> {
  await tx.run(sql`SELECT FROM roles WHERE id = ${id} AND tenant_id = ${ctx.tenant.id} FOR UPDATE`);
  const role = await getRole(ctx, { id }, tx);
  if (role.is_system) throw fail('identity.role_is_system', { role: role.name });
  return role;
}

function readName(given: string): string {
  const name = given.trim();
  if (name === '') throw invalid({ name: ['The name must not be empty.'] });
  if (/^\d+$/.test(name)) throw invalid({ name: ['The name must not be a number: it could be taken for an id.'] });
  return name;
}

async function mustBeKnown(db: Db, permissions: readonly string[]): Promise<void> {
  const rows = await db.rows<{ name: string }>(
    sql`SELECT name FROM permissions WHERE name = ANY(${permissions}::text[])`,
  );
  const known = new Set(rows.map(({ name }) => name));
  const errors: FieldErrors = {};
  for (const [index, name] of permissions.entries()) {
    if (!known.has(name)) errors[`permissions.${index}`] = [`There is no permission ${name}.`];
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
}

/** A role called like one of every tenant would be taken for it. */
async function mustBeFree(db: Db, name: string): Promise<void> {
  const taken = await db.row(sql`SELECT FROM roles WHERE tenant_id IS NULL AND lower(name) = lower(${name})`);
  if (taken) throw nameTaken();
}

function nameTaken() {
  return invalid({ name: ['There is a role with this name already.'] });
}

async function insertRole(ctx: SystemCtx, tx: Db, { name, description }: { name: string; description: string }) {
  const tenantId = ctx.tenant.id;
  const has = await tx.row<{ roles: number }>(sql`SELECT count(*) AS roles FROM roles WHERE tenant_id = ${tenantId}`);
  if ((has?.roles ?? 0) >= mostRoles) throw fail('identity.too_many_roles', { most: mostRoles });
  const made = await tx.row<{ id: number }>(sql`
    INSERT INTO roles (tenant_id, name, description) VALUES (${tenantId}, ${name}, ${description})
    ON CONFLICT (coalesce(tenant_id, ''), lower(name)) DO NOTHING RETURNING id`);
  if (!made) throw nameTaken();
  return made;
}

async function saveRole(tx: Db, { id, name, description }: { id: number; name: string; description: string }) {
  try {
    await tx.run(sql`
      UPDATE roles SET name = ${name}, description = ${description}, updated_at = now() WHERE id = ${id}`);
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    throw code === '23505' && constraint === 'roles_by_name' ? nameTaken() : error;
  }
}

async function grant(tx: Db, roleId: number, permissions: readonly string[]): Promise<void> {
  await tx.run(sql`
    INSERT INTO role_permissions (role_id, permission)
    SELECT ${roleId}, permission FROM unnest(${permissions}::text[]) AS permission ON CONFLICT DO NOTHING`);
}

async function withdraw(tx: Db, roleId: number, permissions: readonly string[]): Promise<void> {
  await tx.run(sql`
    DELETE FROM role_permissions WHERE role_id = ${roleId} AND permission = ANY(${permissions}::text[])`);
}
