import { byTime, type Db, list, removedFields, type Sql, type SystemCtx, sql } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { userReference } from '../user-reference.ts';
import { AppGrant } from './app-schemas.ts';
import type { RequestingApp } from './authorization-request.ts';

const columns = sql`g.id, g.app, g.tenant_id, g.acts_as, g.scopes, ${userReference(sql`g.approver`)} AS approved_by, g.created_at,
  g.updated_at, g.last_used_at`;
/** The one who approved a grant of an organization is the maker of its service user. */
const grants = (where: Sql): Sql => sql`(
  SELECT g.*, a.acts_as, coalesce(maker.created_by, g.user_id) AS approver,
    json_build_object('id', a.id, 'name', c.name, 'publisher', t.name) AS app,
    (SELECT max(s.last_used_at) FROM sessions s WHERE s.grant_id = g.id) AS last_used_at
  FROM app_grants g JOIN apps a ON a.id = g.app_id JOIN oauth_clients c ON c.id = a.id
    LEFT JOIN tenants t ON t.id = a.tenant_id LEFT JOIN oauth_clients maker ON maker.user_id = g.user_id
  WHERE ${where}) g`;

export const appGrantList = list({
  name: 'app_grants',
  row: AppGrant,
  database: (ctx: SystemCtx) => ctx.central,
  from: (ctx: SystemCtx) => grants(sql`g.tenant_id = ${ctx.tenant.id}`),
  alias: sql`g`,
  columns,
  sorts: { created_at: byTime(sql`g.created_at`) },
});

/** The id of the app that has the grant in this tenant. */
export async function getGrantedApp(ctx: SystemCtx, { id }: { id: string }): Promise<string> {
  const grant = await ctx.central.row<{ app_id: string }>(sql`
    SELECT app_id FROM app_grants WHERE id::text = ${id} AND tenant_id = ${ctx.tenant.id}`);
  if (!grant) throw fail('identity.app_grant_not_found');
  return grant.app_id;
}

/** In all tenants. */
export function listOwnGrants(ctx: SystemCtx): Promise<AppGrant[]> {
  return ctx.central.rows<AppGrant>(sql`
    SELECT ${columns} FROM ${grants(sql`g.user_id = ${ctx.user.id}`)} ORDER BY g.created_at DESC, g.id DESC`);
}

/** Approving again adds to what was approved before, so that the list shows everything that the app may do. */
export async function saveGrant(
  ctx: SystemCtx,
  tx: Db,
  app: RequestingApp,
  scopes: readonly string[],
): Promise<string> {
  const userId = app.acts_as === 'user' ? ctx.user.id : await saveServiceUser(ctx, tx, app, scopes);
  await lockMembership(ctx, tx, userId);
  const grant = await tx.row<{ id: string }>(sql`
    INSERT INTO app_grants AS g (id, app_id, tenant_id, user_id, scopes)
    VALUES (${ctx.newId()}, ${app.id}, ${ctx.tenant.id}, ${userId}, ${scopes}::text[])
    ON CONFLICT (app_id, tenant_id, user_id) DO UPDATE SET updated_at = now(),
      scopes = ARRAY(SELECT unnest(g.scopes) UNION SELECT unnest(excluded.scopes) ORDER BY 1)
    RETURNING id`);
  const details = { client_id: app.id, name: app.name, scopes };
  await record(ctx, { action: 'app_approved', subjectId: userId, details }, tx);
  const { id } = grant as { id: string };
  ctx.audit({ id: [null, id], scopes: [null, [...scopes]] });
  return id;
}

/** A concurrent removal from the team either precedes this or ends the grant. */
async function lockMembership(ctx: SystemCtx, tx: Db, userId: number): Promise<void> {
  const membership = await tx.row(sql`
    SELECT FROM memberships WHERE user_id = ${userId} AND tenant_id = ${ctx.tenant.id} FOR SHARE`);
  if (!membership) throw fail('identity.app_not_found');
}

/** The member that an app acts as for an organization. Like an API client, it has at most the rights of its maker. */
async function saveServiceUser(
  ctx: SystemCtx,
  tx: Db,
  { id: appId, name }: RequestingApp,
  scopes: readonly string[],
): Promise<number> {
  const tenantId = ctx.tenant.id;
  // Serializes approvals of the same app.
  await tx.row(sql`SELECT FROM apps WHERE id = ${appId} FOR UPDATE`);
  const existing = await tx.row<{ user_id: number }>(sql`
    SELECT g.user_id FROM app_grants g JOIN users u ON u.id = g.user_id AND u.kind = 'service'
    WHERE g.app_id = ${appId} AND g.tenant_id = ${tenantId}`);
  if (existing) {
    await tx.run(sql`UPDATE oauth_clients SET created_by = ${ctx.user.id} WHERE user_id = ${existing.user_id}`);
    await tx.run(sql`
      UPDATE memberships SET updated_at = now(),
        permissions = ARRAY(SELECT unnest(permissions) UNION SELECT unnest(${scopes}::text[]))
      WHERE user_id = ${existing.user_id} AND tenant_id = ${tenantId}`);
    return existing.user_id;
  }
  const user = await tx.row<{ id: number }>(sql`
    INSERT INTO users (kind, name) VALUES ('service', ${name}) RETURNING id`);
  const userId = (user as { id: number }).id;
  await tx.run(sql`
    INSERT INTO memberships (user_id, tenant_id, permissions) VALUES (${userId}, ${tenantId}, ${scopes}::text[])`);
  await tx.run(sql`
    INSERT INTO oauth_clients (id, tenant_id, user_id, name, grants, scopes, created_by)
    VALUES (${ctx.newId()}, ${tenantId}, ${userId}, ${name}, '{}', ${scopes}::text[], ${ctx.user.id})`);
  return userId;
}

export const removeGrant = (ctx: SystemCtx, { id }: { id: string }): Promise<void> =>
  remove(ctx, sql`g.id = ${id} AND g.tenant_id = ${ctx.tenant.id}`);

export const removeOwnGrant = (ctx: SystemCtx, { id }: { id: string }): Promise<void> =>
  remove(ctx, sql`g.id = ${id} AND g.user_id = ${ctx.user.id}`);

interface LockedGrant {
  readonly id: string;
  readonly user_id: number;
  readonly tenant_id: string;
  readonly app_id: string;
  readonly name: string;
  readonly scopes: string[];
}

/** Its tokens and codes are deleted with it. Other processes are notified; this one invalidates its cache at once. */
async function remove(ctx: SystemCtx, where: Sql): Promise<void> {
  const userId = await ctx.central.tx(async (tx) => {
    const grant = await tx.row<LockedGrant>(sql`
      SELECT g.id, g.user_id, g.tenant_id, g.app_id, g.scopes, c.name
      FROM app_grants g JOIN oauth_clients c ON c.id = g.app_id WHERE ${where} FOR UPDATE OF g`);
    if (!grant) throw fail('identity.app_grant_not_found');
    const { id, user_id: subjectId, tenant_id: tenantId, app_id: client_id, scopes, name } = grant;
    await tx.run(sql`DELETE FROM app_grants WHERE id = ${id}`);
    await record(ctx, { action: 'app_removed', subjectId, tenantId, details: { client_id, name } }, tx);
    ctx.audit(removedFields({ scopes }));
    return subjectId;
  });
  getAccounts(ctx.system).sessions.invalidateUser(userId);
}
