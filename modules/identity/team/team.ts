import {
  type Db,
  forbidden,
  join,
  offsetOf,
  paginationOf,
  type Sql,
  type Static,
  type SystemCtx,
  sql,
} from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { mustHoldRole } from './grants.ts';
import { getRole, type Role, roleToGive } from './roles.ts';
import type { Member, RoleReference, TeamQuery } from './team-schemas.ts';

const columns = sql`u.id, u.name, u.email, u.email_verified_at IS NOT NULL AS email_verified,
  u.two_factor_confirmed_at IS NOT NULL AS two_factor_enabled, r.name AS role, m.created_at AS joined_at,
  (SELECT max(s.last_used_at) FROM sessions s WHERE s.user_id = u.id) AS last_active_at`;

/** People only: what API clients act as is no part of the team. */
const team = sql`memberships m JOIN users u ON u.id = m.user_id AND u.kind = 'person' JOIN roles r ON r.id = m.role_id`;

const sortColumns: Readonly<Record<TeamQuery['sort_by'], Sql>> = {
  name: sql`lower(u.name)`,
  email: sql`u.email`,
  role: sql`lower(r.name)`,
  joined_at: sql`m.created_at`,
  last_active_at: sql`last_active_at`,
};

export async function listTeam(ctx: SystemCtx, query: TeamQuery) {
  const where = sql`WHERE ${join(conditions(ctx, query), ' AND ')}`;
  const [members, counted] = await Promise.all([
    ctx.central.rows<Member>(sql`
      SELECT ${columns} FROM ${team} ${where} ORDER BY ${orderBy(query)}
      LIMIT ${query.per_page} OFFSET ${offsetOf(query)}`),
    ctx.central.row<{ total: number }>(sql`SELECT count(*) AS total FROM ${team} ${where}`),
  ]);
  return { team: members, pagination: paginationOf(query, counted?.total ?? 0) };
}

export async function getMember(ctx: SystemCtx, { id }: { id: number }, db: Db = ctx.central): Promise<Member> {
  const member = await db.row<Member>(sql`
    SELECT ${columns} FROM ${team} WHERE m.tenant_id = ${ctx.tenant.id} AND u.id = ${id}`);
  if (!member) throw fail('identity.member_not_found', { id });
  return member;
}

export async function changeRole(
  ctx: SystemCtx,
  { id }: { id: number },
  { role }: { role: Static<typeof RoleReference> },
): Promise<Member> {
  if (!ctx.can('team.roles.assign')) throw forbidden('team.roles.assign');
  return ctx.central.tx(async (tx) => {
    const { current, mayGo } = await lockMember(ctx, tx, id);
    const next = await roleToGive(ctx, tx, role);
    if (next.id === current.id) return getMember(ctx, { id }, tx);
    if (!mayGo) throw fail('identity.last_owner');
    await tx.run(sql`
      UPDATE memberships SET role_id = ${next.id}, updated_at = now()
      WHERE tenant_id = ${ctx.tenant.id} AND user_id = ${id}`);
    const details = { from: current.name, to: next.name };
    await record(ctx, { action: 'member_role_changed', subjectId: id, details }, tx);
    return getMember(ctx, { id }, tx);
  });
}

/** Ends a membership. The account stays, and so do its other tenants. */
export async function removeMember(ctx: SystemCtx, { id }: { id: number }): Promise<void> {
  await ctx.central.tx(async (tx) => {
    const { current, email, mayGo } = await lockMember(ctx, tx, id);
    if (!mayGo) throw fail('identity.last_owner');
    await tx.run(sql`DELETE FROM memberships WHERE tenant_id = ${ctx.tenant.id} AND user_id = ${id}`);
    // Who was removed must not come back through a link it still has.
    await tx.run(sql`
      UPDATE invitations SET revoked_at = now() WHERE tenant_id = ${ctx.tenant.id} AND email = ${email}
        AND accepted_at IS NULL AND revoked_at IS NULL`);
    await record(ctx, { action: 'member_removed', subjectId: id, details: { role: current.name } }, tx);
  });
}

interface LockedMember {
  readonly email: string;
  readonly current: Role;
  /** Whether somebody who can sign in is an Owner without it, or it is none. */
  readonly mayGo: boolean;
}

/**
 * A member whose role is the caller's to take. The Owners are locked with it, in one order: of two that demote each
 * other at once, the second sees what the first has done.
 */
async function lockMember(ctx: SystemCtx, tx: Db, id: number): Promise<LockedMember> {
  const rows = await tx.rows<{ id: number; email: string; role_id: number; is_owner: boolean; enabled: boolean }>(sql`
    SELECT u.id, u.email, m.role_id, m.role_id = owner.id AS is_owner, u.disabled_at IS NULL AS enabled
    FROM memberships m JOIN users u ON u.id = m.user_id AND u.kind = 'person'
      CROSS JOIN (SELECT id FROM roles WHERE tenant_id IS NULL AND name = 'Owner') owner
    WHERE m.tenant_id = ${ctx.tenant.id} AND (m.user_id = ${id} OR m.role_id = owner.id)
    ORDER BY m.user_id FOR UPDATE OF m`);
  const member = rows.find((row) => row.id === id);
  if (!member) throw fail('identity.member_not_found', { id });
  const current = await getRole(ctx, { id: member.role_id }, tx);
  mustHoldRole(ctx, current);
  const others = rows.filter((row) => row.is_owner && row.enabled && row.id !== id);
  return { email: member.email, current, mayGo: !member.is_owner || others.length > 0 };
}

function conditions(ctx: SystemCtx, { search = '', role }: TeamQuery): Sql[] {
  const wanted = search.trim();
  return [
    sql`m.tenant_id = ${ctx.tenant.id}`,
    ...(wanted === '' ? [] : [sql`strpos(lower(u.name || ' ' || u.email), lower(${wanted})) > 0`]),
    ...(role === undefined ? [] : [sql`(lower(r.name) = lower(${role}) OR r.id::text = ${role})`]),
  ];
}

/** Ids decide between equals, so that pages neither overlap nor leave anyone out. */
function orderBy({ sort_by, sort_order }: TeamQuery): Sql {
  const column = sortColumns[sort_by];
  return sort_order === 'asc' ? sql`${column} ASC NULLS FIRST, u.id ASC` : sql`${column} DESC NULLS LAST, u.id DESC`;
}
