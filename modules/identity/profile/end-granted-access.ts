import { type Db, type SystemCtx, sql } from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { deleteClients } from '../oauth/api-client-makers.ts';
import { findIntruders, type Intruders, type Takeover } from './intruders.ts';

/**
 * Ends the access that the person who took over an account gave to others, and restores the roles and memberships that
 * were changed. Each tenant keeps at least one Owner.
 */
export async function endGrantedAccess(ctx: SystemCtx, tx: Db, takeover: Takeover): Promise<void> {
  await revokeInvitations(ctx, tx, await findIntruders(tx, takeover));
  // Again, because an invitation may have been accepted until it was revoked.
  const intruders = await findIntruders(tx, takeover);
  await restoreRoles(ctx, tx, intruders, takeover);
  await revokePermissions(tx, intruders);
  await revokeScopes(tx, intruders);
  await endClients(ctx, tx, intruders, takeover.userId);
  await endMemberships(ctx, tx, intruders);
}

async function revokeInvitations(ctx: SystemCtx, tx: Db, intruders: Intruders): Promise<void> {
  const revoked = await tx.rows<{ tenant_id: string; email: string; role: string }>(sql`
    UPDATE invitations i SET revoked_at = ${ctx.now()}, updated_at = ${ctx.now()} FROM roles r
    WHERE r.id = i.role_id AND i.accepted_at IS NULL AND i.revoked_at IS NULL
      AND ${intruders.did({ by: sql`i.invited_by`, tenant: sql`i.tenant_id`, at: sql`i.created_at` })}
    RETURNING i.tenant_id, i.email, r.name AS role`);
  for (const { tenant_id: tenantId, ...details } of revoked) {
    await record(ctx, { action: 'invitation_revoked', subjectId: null, tenantId, details }, tx);
  }
}

interface ChangedRole {
  readonly tenant_id: string;
  readonly user_id: number;
  readonly role_id: number;
  /** The names; `null` for a member who was removed. */
  readonly from: string | null;
  readonly to: string;
}

/**
 * Gives members the role back that they had before the first change, unless somebody else has changed it since. The
 * account does not return to tenants that it joined after the takeover.
 */
async function restoreRoles(ctx: SystemCtx, tx: Db, intruders: Intruders, { userId, since }: Takeover): Promise<void> {
  const changed = await tx.rows<ChangedRole>(sql`
    WITH changes AS (
      SELECT a.tenant_id, a.subject_id AS user_id,
        (array_agg(coalesce(a.details ->> 'from', a.details ->> 'role') ORDER BY a.at, a.id))[1] AS before,
        (array_agg(a.details ->> 'to' ORDER BY a.at DESC, a.id DESC))[1] AS after
      FROM activity_log a
      WHERE a.action IN ('member_role_changed', 'member_removed')
        AND ${intruders.did({ by: sql`a.user_id`, tenant: sql`a.tenant_id`, at: sql`a.at` })}
      GROUP BY a.tenant_id, a.subject_id)
    SELECT c.tenant_id, c.user_id, r.id AS role_id, c.after AS "from", c.before AS "to"
    FROM changes c JOIN users u ON u.id = c.user_id AND u.kind = 'person'
      JOIN roles r ON r.name = c.before AND coalesce(r.tenant_id, c.tenant_id) = c.tenant_id
      LEFT JOIN memberships m ON m.user_id = c.user_id AND m.tenant_id = c.tenant_id
      LEFT JOIN roles current ON current.id = m.role_id
    WHERE current.name IS NOT DISTINCT FROM c.after AND c.before IS DISTINCT FROM c.after
      AND NOT (c.user_id = ${userId} AND EXISTS (
        SELECT FROM invitations i
        WHERE i.accepted_by = ${userId} AND i.tenant_id = c.tenant_id AND i.accepted_at >= ${since}))
    ORDER BY c.tenant_id, c.user_id`);
  for (const { tenant_id: tenantId, user_id: subjectId, role_id, from, to } of changed) {
    await tx.run(sql`
      INSERT INTO memberships (user_id, tenant_id, role_id) VALUES (${subjectId}, ${tenantId}, ${role_id})
      ON CONFLICT (user_id, tenant_id) DO UPDATE SET role_id = excluded.role_id, updated_at = now()`);
    await record(ctx, { action: 'member_role_changed', subjectId, tenantId, details: { from, to } }, tx);
  }
}

/** Takes back the permissions that were added to custom roles. */
async function revokePermissions(tx: Db, intruders: Intruders): Promise<void> {
  await tx.run(sql`
    DELETE FROM role_permissions p USING roles r, activity_log a
    WHERE r.id = p.role_id AND a.tenant_id = r.tenant_id AND a.action IN ('role_created', 'role_updated')
      AND (a.details ->> 'role_id')::bigint = r.id
      AND coalesce(a.details -> 'added', a.details -> 'permissions') ? p.permission
      AND ${intruders.did({ by: sql`a.user_id`, tenant: sql`a.tenant_id`, at: sql`a.at` })}`);
}

/** Takes back the scopes that were added to API clients that existed before. */
async function revokeScopes(tx: Db, intruders: Intruders): Promise<void> {
  await tx.run(sql`
    WITH added AS (
      SELECT c.id, c.user_id, array_agg(scope) AS scopes
      FROM activity_log a JOIN oauth_clients c ON c.id = a.details ->> 'client_id' AND c.tenant_id = a.tenant_id
        CROSS JOIN jsonb_array_elements_text(a.details -> 'added') AS scope
      WHERE a.action = 'api_client_updated'
        AND ${intruders.did({ by: sql`a.user_id`, tenant: sql`a.tenant_id`, at: sql`a.at` })}
      GROUP BY c.id, c.user_id),
    clients AS (
      UPDATE oauth_clients c SET updated_at = now(),
        scopes = ARRAY(SELECT unnest(c.scopes) EXCEPT SELECT unnest(a.scopes))
      FROM added a WHERE a.id = c.id)
    UPDATE memberships m SET updated_at = now(),
      permissions = ARRAY(SELECT unnest(m.permissions) EXCEPT SELECT unnest(a.scopes))
    FROM added a WHERE a.user_id = m.user_id`);
}

/** Deletes the API clients that were created, and ends the secrets that were replaced. */
async function endClients(ctx: SystemCtx, tx: Db, intruders: Intruders, userId: number): Promise<void> {
  const tenant = sql`c.tenant_id`;
  const isCreated = intruders.did({ by: sql`c.created_by`, tenant, at: sql`c.created_at` });
  await deleteClients(ctx, tx, isCreated, userId);
  await tx.run(sql`
    WITH expired AS (
      UPDATE oauth_clients c SET secret_expires_at = ${ctx.now()}, updated_at = now()
      WHERE ${intruders.did({ by: sql`c.secret_replaced_by`, tenant, at: sql`c.secret_replaced_at` })} RETURNING id)
    UPDATE sessions SET revoked_at = now() WHERE client_id IN (SELECT id FROM expired) AND revoked_at IS NULL`);
}

/** Removes those who joined by an invitation. A tenant without another Owner keeps them. */
async function endMemberships(ctx: SystemCtx, tx: Db, intruders: Intruders): Promise<void> {
  const ended = await tx.rows<{ tenant_id: string; user_id: number; role: string }>(sql`
    WITH invited AS (
      SELECT DISTINCT i.accepted_by AS user_id, i.tenant_id FROM invitations i
      WHERE i.accepted_by IS NOT NULL
        AND ${intruders.did({ by: sql`i.invited_by`, tenant: sql`i.tenant_id`, at: sql`i.created_at` })})
    DELETE FROM memberships m USING invited i, roles r
    WHERE m.user_id = i.user_id AND m.tenant_id = i.tenant_id AND r.id = m.role_id
      AND (r.tenant_id IS NOT NULL OR r.name <> 'Owner' OR EXISTS (
        SELECT FROM memberships o JOIN users u ON u.id = o.user_id AND u.disabled_at IS NULL
        WHERE o.tenant_id = m.tenant_id AND o.role_id = m.role_id
          AND (o.user_id, o.tenant_id) NOT IN (SELECT user_id, tenant_id FROM invited)))
    RETURNING m.tenant_id, m.user_id, r.name AS role`);
  for (const { tenant_id: tenantId, user_id: subjectId, role } of ended) {
    await record(ctx, { action: 'member_removed', subjectId, tenantId, details: { role } }, tx);
  }
}
