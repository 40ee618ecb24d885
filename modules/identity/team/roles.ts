import {
  changesBetween,
  type Db,
  type FieldError,
  type Issues,
  invalid,
  removedFields,
  type Sql,
  type SystemCtx,
  sql,
  taken,
} from '@chowk/kit';
import { checkGrant, mustHold, mustHoldRole } from '../accounts/permissions.ts';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import type { Key, NewRole, Role, RoleChanges } from './team-schemas.ts';

/** The list is not paginated. */
const maxRoles = 100;

/** System roles first, in order of rank. */
export async function listRoles(ctx: SystemCtx): Promise<Role[]> {
  const roles = await ctx.central.rows<Role>(sql`
    SELECT ${columns(ctx)} FROM roles r WHERE ${usable(ctx)}
    ORDER BY r.tenant_id IS NOT NULL, CASE WHEN r.tenant_id IS NULL THEN r.id END, lower(r.name), r.id`);
  return roles.map((role) => withDeclaredPermissions(ctx, role));
}

export async function showRole(ctx: SystemCtx, key: Key, db: Db = ctx.central): Promise<Role> {
  return withDeclaredPermissions(ctx, await getRole(ctx, key, db));
}

/** Without the permissions of modules, or of versions of them, that only other rings have. */
function withDeclaredPermissions({ system }: SystemCtx, role: Role): Role {
  const declared = new Set(system.permissions.map(({ name }) => name));
  return { ...role, permissions: role.permissions.filter((name) => declared.has(name)) };
}

export async function getRole(ctx: SystemCtx, { id }: Key, db: Db = ctx.central): Promise<Role> {
  const role = await db.row<Role>(sql`SELECT ${columns(ctx)} FROM roles r WHERE r.id = ${id} AND ${usable(ctx)}`);
  if (!role) throw fail('identity.role_not_found', { id });
  return role;
}

/** Finds a role by its name, ignoring case, or by its id. Names are never numbers. */
export function findRole(ctx: SystemCtx, db: Db, role: string | number, lock: Sql = sql``): Promise<Role | undefined> {
  return db.row<Role>(sql`
    SELECT ${columns(ctx)} FROM roles r
    WHERE ${usable(ctx)} AND (lower(r.name) = lower(${String(role)}) OR r.id::text = ${String(role)}) ${lock}`);
}

export const noSuchRole: FieldError = { code: 'not_allowed', message: 'There is no such role in this tenant.' };

/** A role that the caller may assign, locked against deletion until the end of the transaction. */
export async function assignableRole(ctx: SystemCtx, db: Db, role: string | number): Promise<Role> {
  const assignable = await findRole(ctx, db, role, sql`FOR KEY SHARE OF r`);
  if (!assignable) throw invalid({ role: noSuchRole });
  mustHoldRole(ctx, assignable);
  return assignable;
}

export async function checkNewRole(
  ctx: SystemCtx,
  { name, permissions = [] }: Partial<NewRole>,
  issues: Issues,
): Promise<void> {
  await checkGrant(ctx, grantPermissions(permissions), issues);
  // Only if there are other problems to report; otherwise the insertion checks it.
  if (issues.any && name !== undefined) await checkName(ctx, name, issues);
}

export async function createRole(ctx: SystemCtx, role: NewRole): Promise<Role> {
  return ctx.central.tx(async (tx) => {
    const id = await insertRole(ctx, tx, role);
    await grant(tx, id, role.permissions);
    const { name, permissions } = role;
    await record(ctx, { action: 'role_created', subjectId: null, details: { role_id: id, name, permissions } }, tx);
    return showRole(ctx, { id }, tx);
  });
}

export async function checkRoleChanges(
  ctx: SystemCtx,
  { id, name, permissions = [] }: Partial<RoleChanges>,
  issues: Issues,
): Promise<void> {
  if (id === undefined) return;
  const current = await getOwnRole(ctx, ctx.central, id);
  await checkGrant(ctx, grantPermissions(permissions, current.permissions), issues);
  if (name !== undefined && name !== current.name) await checkName(ctx, name, issues, id);
}

async function checkName(ctx: SystemCtx, name: string, issues: Issues, id: number | null = null): Promise<void> {
  const other = await ctx.central.row(sql`
    SELECT FROM roles r WHERE ${usable(ctx)} AND lower(r.name) = lower(${name}) AND r.id IS DISTINCT FROM ${id}::bigint`);
  if (other) issues.addAll({ name: [nameTaken] });
}

/** The caller must hold the permissions of the role before and after the change. */
export async function updateRole(ctx: SystemCtx, { id, ...changes }: RoleChanges): Promise<Role> {
  return ctx.central.tx(async (tx) => {
    const current = withDeclaredPermissions(ctx, await lockOwnRole(ctx, tx, id));
    const before = pickNewRole(current);
    const after = pickNewRole({ ...current, ...changes });
    mustHold(ctx, grantPermissions(after.permissions, before.permissions));
    const changed = changesBetween(before, after);
    if (Object.keys(changed).length === 0) return current;
    await saveRole(tx, { id, ...after });
    const added = after.permissions.filter((name) => !before.permissions.includes(name));
    const removed = before.permissions.filter((name) => !after.permissions.includes(name));
    // Every write of permissions invalidates the caches of all members.
    if (added.length > 0) await grant(tx, id, added);
    if (removed.length > 0) await revoke(tx, id, removed);
    const details = { role_id: id, name: after.name, ...(changed.name ? { was: before.name } : {}), added, removed };
    await record(ctx, { action: 'role_updated', subjectId: null, details }, tx);
    ctx.audit(changed);
    return showRole(ctx, { id }, tx);
  });
}

/** Deletes a role without members, and the open invitations to it. */
export async function deleteRole(ctx: SystemCtx, { id }: Key): Promise<void> {
  await ctx.central.tx(async (tx) => {
    const role = await lockOwnRole(ctx, tx, id);
    const { members, name } = role;
    if (members > 0) {
      const count = members === 1 ? '1 member' : `${members} members`;
      throw fail('identity.role_in_use', { role: name, members: count });
    }
    await tx.run(sql`DELETE FROM roles WHERE id = ${id}`);
    await record(ctx, { action: 'role_deleted', subjectId: null, details: { role_id: id, name } }, tx);
    ctx.audit(removedFields(pickNewRole(role)));
  });
}

/** The fields of a role that callers choose, with sorted permissions. */
function pickNewRole({ name, description, permissions }: NewRole): NewRole {
  return { name, description, permissions: permissions.toSorted() };
}

function columns(ctx: SystemCtx): Sql {
  return sql`r.id, r.name, r.description, r.tenant_id IS NULL AS is_system, r.updated_at,
    ARRAY(SELECT permission FROM role_permissions WHERE role_id = r.id ORDER BY 1) AS permissions,
    (SELECT count(*) FROM memberships m WHERE m.role_id = r.id AND m.tenant_id = ${ctx.tenant.id}) AS members`;
}

/** System roles and the tenant's own. */
function usable(ctx: SystemCtx): Sql {
  return sql`(r.tenant_id IS NULL OR r.tenant_id = ${ctx.tenant.id})`;
}

/** Locks before it reads, so that concurrent assignments of the role are either counted or refused. */
async function lockOwnRole(ctx: SystemCtx, tx: Db, id: number): Promise<Role> {
  await tx.run(sql`SELECT FROM roles WHERE id = ${id} AND tenant_id = ${ctx.tenant.id} FOR UPDATE`);
  return getOwnRole(ctx, tx, id);
}

/** A role that the caller may change. */
async function getOwnRole(ctx: SystemCtx, db: Db, id: number): Promise<Role> {
  const role = await getRole(ctx, { id }, db);
  if (role.is_system) throw fail('identity.role_is_system', { role: role.name });
  mustHoldRole(ctx, role);
  ctx.mustMatch(role);
  return role;
}

/** Includes permissions without effect in this tenant: it may become a reseller. */
function grantPermissions(names: readonly string[], allowed: readonly string[] = []) {
  return { field: 'permissions', names, allowed, refusal: 'identity.permission_beyond_caller' } as const;
}

const nameTaken = taken('There is a role with this name already.');

/** A custom role must not have the name of a system role. */
function isSystemName(name: string): Sql {
  return sql`EXISTS (SELECT FROM roles s WHERE s.tenant_id IS NULL AND lower(s.name) = lower(${name}))`;
}

async function insertRole({ tenant }: SystemCtx, tx: Db, { name, description }: NewRole): Promise<number> {
  const role = await tx.row<{ id: number; others: number }>(sql`
    INSERT INTO roles (tenant_id, name, description) SELECT ${tenant.id}, ${name}, ${description}
    WHERE NOT ${isSystemName(name)} ON CONFLICT (coalesce(tenant_id, ''), lower(name)) DO NOTHING
    RETURNING id, (SELECT count(*) FROM roles WHERE tenant_id = ${tenant.id}) AS others`);
  if (!role) throw invalid({ name: nameTaken });
  if (role.others >= maxRoles) throw fail('identity.too_many_roles', { max: maxRoles });
  return role.id;
}

async function saveRole(tx: Db, { id, name, description }: NewRole & Key): Promise<void> {
  try {
    const saved = await tx.run(sql`
      UPDATE roles SET name = ${name}, description = ${description}, updated_at = now()
      WHERE id = ${id} AND (name = ${name} OR NOT ${isSystemName(name)})`);
    if (saved === 0) throw invalid({ name: nameTaken });
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    throw code === '23505' && constraint === 'roles_by_name' ? invalid({ name: nameTaken }) : error;
  }
}

async function grant(tx: Db, roleId: number, permissions: readonly string[]): Promise<void> {
  await tx.run(sql`
    INSERT INTO role_permissions (role_id, permission)
    SELECT ${roleId}, permission FROM unnest(${permissions}::text[]) AS permission ON CONFLICT DO NOTHING`);
}

async function revoke(tx: Db, roleId: number, permissions: readonly string[]): Promise<void> {
  await tx.run(sql`
    DELETE FROM role_permissions WHERE role_id = ${roleId} AND permission = ANY(${permissions}::text[])`);
}
