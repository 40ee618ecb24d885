import {
  byText,
  byTime,
  columnNames,
  type Db,
  filter,
  forbidden,
  invalid,
  Line,
  list,
  type Sql,
  type SystemCtx,
  sql,
} from '@chowk/kit';
import { mustHoldRole } from '../accounts/permissions.ts';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { deleteClients, takeOverClients } from '../oauth/api-client-makers.ts';
import { mustBeOwnSession } from '../profile/own-session.ts';
import { assignableRole, getRole } from './roles.ts';
import { type Key, Member, type MemberChanges, type MemberRemoval, type Role } from './team-schemas.ts';

/** Without the service users of API clients. */
function members(ctx: SystemCtx): Sql {
  return sql`(
    SELECT u.id, u.name, coalesce(u.email, u.pending_email) AS email, u.email_verified_at IS NOT NULL AS email_verified,
      u.two_factor_confirmed_at IS NOT NULL AS two_factor_enabled, r.id AS role_id, r.name AS role,
      m.created_at AS joined_at, greatest(m.updated_at, u.updated_at) AS updated_at,
      (SELECT max(s.last_used_at) FROM sessions s WHERE s.user_id = u.id) AS last_active_at
    FROM memberships m JOIN users u ON u.id = m.user_id AND u.kind = 'person' JOIN roles r ON r.id = m.role_id
    WHERE m.tenant_id = ${ctx.tenant.id}) m`;
}

const columns = columnNames(Member, sql`m`);

export const teamList = list({
  name: 'team',
  row: Member,
  database: (ctx: SystemCtx) => ctx.central,
  from: members,
  alias: sql`m`,
  columns,
  filters: {
    search: filter(Line(255, { minLength: 0, description: 'Part of a name or an email address.' }), (text) =>
      text === '' ? undefined : sql`strpos(lower(m.name || ' ' || m.email), lower(${text})) > 0`,
    ),
    role: filter(
      Line(255, { description: 'The name or the id of a role.' }),
      (role) => sql`(lower(m.role) = lower(${role}) OR m.role_id::text = ${role})`,
    ),
  },
  sorts: {
    name: byText(sql`lower(m.name)`),
    email: byText(sql`m.email`),
    role: byText(sql`lower(m.role)`),
    joined_at: byTime(sql`m.joined_at`),
    last_active_at: byTime(sql`coalesce(m.last_active_at, '-infinity')`),
  },
  sortOrder: 'asc',
  idType: 'bigint',
});

export async function getMember(ctx: SystemCtx, { id }: Key, db: Db = ctx.central): Promise<Member> {
  const member = await db.row<Member>(sql`SELECT ${columns} FROM ${members(ctx)} WHERE m.id = ${id}`);
  if (!member) throw fail('identity.member_not_found', { id });
  return member;
}

export async function updateMember(ctx: SystemCtx, { id, role }: MemberChanges): Promise<Member> {
  if (!ctx.can('team.roles.assign')) throw forbidden('team.roles.assign');
  return ctx.central.tx(async (tx) => {
    const { member, current, canLeave } = await lockMember(ctx, tx, id);
    const next = await assignableRole(ctx, tx, role);
    if (next.id === current.id) return member;
    if (!canLeave) throw fail('identity.last_owner');
    await tx.run(sql`
      UPDATE memberships SET role_id = ${next.id}, updated_at = now()
      WHERE tenant_id = ${ctx.tenant.id} AND user_id = ${id}`);
    const details = { from: current.name, to: next.name };
    await record(ctx, { action: 'member_role_changed', subjectId: id, details }, tx);
    ctx.audit({ role: [current.name, next.name] });
    return getMember(ctx, { id }, tx);
  });
}

/** Ends the membership. The account and its other memberships stay. */
export async function removeMember(ctx: SystemCtx, { id, api_clients }: MemberRemoval): Promise<void> {
  const takesOver = api_clients === 'take_over';
  if (takesOver) await mustBeAbleToTakeOver(ctx, id);
  await ctx.central.tx(async (tx) => {
    const { member, current, canLeave } = await lockMember(ctx, tx, id);
    if (!canLeave) throw fail('identity.last_owner');
    await tx.run(sql`DELETE FROM memberships WHERE tenant_id = ${ctx.tenant.id} AND user_id = ${id}`);
    // Otherwise the former member could return through an open invitation.
    await tx.run(sql`
      UPDATE invitations SET revoked_at = now(), updated_at = now()
      WHERE tenant_id = ${ctx.tenant.id} AND email = ${member.email} AND accepted_at IS NULL AND revoked_at IS NULL`);
    const made = sql`c.tenant_id = ${ctx.tenant.id} AND c.created_by = ${id}`;
    await (takesOver ? takeOverClients(ctx, tx, made) : deleteClients(ctx, tx, made));
    await endUselessTokens(tx, id);
    await record(ctx, { action: 'member_removed', subjectId: id, details: { role: current.name } }, tx);
    ctx.audit({ role: [current.name, null] });
  });
}

/** A program must not become the maker of another. */
async function mustBeAbleToTakeOver(ctx: SystemCtx, memberId: number): Promise<void> {
  await mustBeOwnSession(ctx);
  if (!ctx.can('settings.api_clients')) throw forbidden('settings.api_clients');
  if (memberId === ctx.user.id) throw invalid({ api_clients: 'Another member must take over your API clients.' });
}

/** In this tenant, personal access tokens end with the membership. Without another one they are useless. */
async function endUselessTokens(tx: Db, userId: number): Promise<void> {
  await tx.run(sql`
    UPDATE sessions SET revoked_at = now() WHERE user_id = ${userId} AND kind = 'personal' AND revoked_at IS NULL
      AND NOT EXISTS (SELECT FROM memberships WHERE user_id = ${userId})`);
}

interface LockedMember {
  readonly member: Member;
  readonly current: Role;
  /** False for the last Owner who can sign in. */
  readonly canLeave: boolean;
}

/**
 * Locks a member and all Owners, in order of their ids, so that two Owners who demote each other concurrently do not
 * leave the tenant without one. The caller must hold the permissions of the member's role.
 */
async function lockMember(ctx: SystemCtx, tx: Db, id: number): Promise<LockedMember> {
  const rows = await tx.rows<{ id: number; role_id: number; is_owner: boolean; enabled: boolean }>(sql`
    SELECT u.id, m.role_id, m.role_id = owner.id AS is_owner, u.disabled_at IS NULL AS enabled
    FROM memberships m JOIN users u ON u.id = m.user_id AND u.kind = 'person'
      CROSS JOIN (SELECT id FROM roles WHERE tenant_id IS NULL AND name = 'Owner') owner
    WHERE m.tenant_id = ${ctx.tenant.id} AND (m.user_id = ${id} OR m.role_id = owner.id)
    ORDER BY m.user_id FOR UPDATE OF m`);
  const locked = rows.find((row) => row.id === id);
  if (!locked) throw fail('identity.member_not_found', { id });
  const current = await getRole(ctx, { id: locked.role_id }, tx);
  mustHoldRole(ctx, current);
  const member = await getMember(ctx, { id }, tx);
  ctx.mustMatch(member);
  const otherOwners = rows.filter((row) => row.is_owner && row.enabled && row.id !== id);
  return { member, current, canLeave: !locked.is_owner || otherOwners.length > 0 };
}
