import {
  type Db,
  invalid,
  offsetOf,
  type Paging,
  paginationOf,
  type Static,
  type SystemCtx,
  sql,
  Timestamp,
  Type,
} from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { hashOf, newSecret } from '../secret-tokens.ts';
import { unknownPermissions } from './oauth-scopes.ts';

export const ApiClient = Type.Object({
  id: Type.String({ description: 'The client_id.' }),
  name: Type.String(),
  scopes: Type.Array(Type.String(), { description: 'The permissions it holds in the tenant.' }),
  created_at: Timestamp,
  created_by: Type.Union([Type.Object({ id: Type.Integer(), name: Type.String() }), Type.Null()]),
  last_used_at: Type.Union([Timestamp, Type.Null()], { description: 'When it last asked for a token.' }),
});
export type ApiClient = Static<typeof ApiClient>;

/** With its prefix it is recognised wherever it should not be. */
const secretPrefix = 'chowk_cs_';

const most = 100;

/** Each is a user of its own, with limits of its own. */
async function mustHaveRoom({ central, tenant }: SystemCtx): Promise<void> {
  const row = await central.row<{ count: number }>(
    sql`SELECT count(*) FROM oauth_clients WHERE tenant_id = ${tenant.id}`,
  );
  if ((row?.count ?? 0) >= most) throw fail('identity.too_many_api_clients', { most });
}

const columns = sql`
  c.id, c.name, c.scopes, c.created_at, c.last_used_at,
  CASE WHEN u.id IS NOT NULL THEN jsonb_build_object('id', u.id, 'name', u.name) END AS created_by`;

export async function listApiClients(ctx: SystemCtx, paging: Paging) {
  const [api_clients, counted] = await Promise.all([
    ctx.central.rows<ApiClient>(sql`
      SELECT ${columns} FROM oauth_clients c LEFT JOIN users u ON u.id = c.created_by
      WHERE c.tenant_id = ${ctx.tenant.id} ORDER BY c.created_at DESC, c.id
      LIMIT ${paging.per_page} OFFSET ${offsetOf(paging)}`),
    ctx.central.row<{ total: number }>(sql`
      SELECT count(*) AS total FROM oauth_clients WHERE tenant_id = ${ctx.tenant.id}`),
  ]);
  return { api_clients, pagination: paginationOf(paging, counted?.total ?? 0) };
}

export async function getApiClient(ctx: SystemCtx, id: string, db: Db = ctx.central): Promise<ApiClient> {
  const found = await db.row<ApiClient>(sql`
    SELECT ${columns} FROM oauth_clients c LEFT JOIN users u ON u.id = c.created_by
    WHERE c.id = ${id} AND c.tenant_id = ${ctx.tenant.id}`);
  if (!found) throw fail('identity.api_client_not_found');
  return found;
}

/** A client acts as a service user of its own, whose membership is what the client may do. */
export async function createApiClient(
  ctx: SystemCtx,
  { name, scopes: wanted }: { name: string; scopes: readonly string[] },
): Promise<{ api_client: ApiClient; client_secret: string }> {
  await mustBePermissions(ctx, wanted);
  const scopes = [...new Set(wanted)];
  mustHold(ctx, scopes);
  await mustHaveRoom(ctx);
  const id = ctx.newId();
  const client_secret = secretPrefix + newSecret();
  const api_client = await ctx.central.tx(async (tx) => {
    const user = await tx.row<{ id: number }>(sql`
      INSERT INTO users (kind, name) VALUES ('service', ${name}) RETURNING id`);
    const userId = (user as { id: number }).id;
    await tx.run(sql`
      INSERT INTO memberships (user_id, tenant_id, permissions) VALUES (${userId}, ${ctx.tenant.id}, ${scopes}::text[])`);
    await tx.run(sql`
      INSERT INTO oauth_clients (id, tenant_id, user_id, name, secret_hash, grants, scopes, created_by)
      VALUES (${id}, ${ctx.tenant.id}, ${userId}, ${name}, ${hashOf(client_secret)}, '{client_credentials}',
        ${scopes}::text[], ${ctx.user.id})`);
    const details = { client_id: id, name, scopes };
    await record(ctx, { action: 'api_client_created', subjectId: userId, details }, tx);
    return getApiClient(ctx, id, tx);
  });
  return { api_client, client_secret };
}

/** Its tokens may do from now on what its new scopes say. */
export async function updateApiClient(
  ctx: SystemCtx,
  id: string,
  changes: { name?: string; scopes?: readonly string[] },
): Promise<ApiClient> {
  await mustBePermissions(ctx, changes.scopes ?? []);
  return ctx.central.tx(async (tx) => {
    const before = await lockApiClient(ctx, tx, id);
    const name = changes.name ?? before.name;
    const scopes = changes.scopes ? [...new Set(changes.scopes)] : before.scopes;
    const added = scopes.filter((scope) => !before.scopes.includes(scope));
    mustHold(ctx, added);
    await tx.run(sql`
      UPDATE oauth_clients SET name = ${name}, scopes = ${scopes}::text[], updated_at = now() WHERE id = ${id}`);
    await tx.run(sql`UPDATE users SET name = ${name}, updated_at = now() WHERE id = ${before.user_id}`);
    await tx.run(sql`
      UPDATE memberships SET permissions = ${scopes}::text[], updated_at = now()
      WHERE user_id = ${before.user_id} AND tenant_id = ${ctx.tenant.id}`);
    const details = { client_id: id, name, added, removed: before.scopes.filter((scope) => !scopes.includes(scope)) };
    await record(ctx, { action: 'api_client_updated', subjectId: before.user_id, details }, tx);
    return getApiClient(ctx, id, tx);
  });
}

/** The old secret is good no longer. Who gets to know the new one can do what the client can. */
export async function rotateSecret(
  ctx: SystemCtx,
  id: string,
): Promise<{ api_client: ApiClient; client_secret: string }> {
  const client_secret = secretPrefix + newSecret();
  const api_client = await ctx.central.tx(async (tx) => {
    const { user_id, scopes, name } = await lockApiClient(ctx, tx, id);
    mustHold(ctx, scopes);
    await tx.run(sql`
      UPDATE oauth_clients SET secret_hash = ${hashOf(client_secret)}, updated_at = now() WHERE id = ${id}`);
    const details = { client_id: id, name };
    await record(ctx, { action: 'api_client_secret_rotated', subjectId: user_id, details }, tx);
    return getApiClient(ctx, id, tx);
  });
  return { api_client, client_secret };
}

/** What the client has done stays written down: its user is kept, and can do nothing. */
export async function deleteApiClient(ctx: SystemCtx, id: string): Promise<void> {
  const userId = await ctx.central.tx(async (tx) => {
    const { user_id, name } = await lockApiClient(ctx, tx, id);
    // Its sessions go with it.
    await tx.run(sql`DELETE FROM oauth_clients WHERE id = ${id}`);
    await tx.run(sql`DELETE FROM memberships WHERE user_id = ${user_id}`);
    await tx.run(sql`UPDATE users SET disabled_at = now(), updated_at = now() WHERE id = ${user_id}`);
    const details = { client_id: id, name };
    await record(ctx, { action: 'api_client_deleted', subjectId: user_id, details }, tx);
    return user_id;
  });
  // Other processes hear of it; this one need not wait to hear.
  await ctx.platform.sessions.revokeAll(userId);
}

interface LockedClient {
  readonly user_id: number;
  readonly name: string;
  readonly scopes: readonly string[];
}

async function lockApiClient(ctx: SystemCtx, tx: Db, id: string): Promise<LockedClient> {
  const found = await tx.row<LockedClient>(sql`
    SELECT user_id, name, scopes FROM oauth_clients
    WHERE id = ${id} AND tenant_id = ${ctx.tenant.id} FOR UPDATE`);
  if (!found) throw fail('identity.api_client_not_found');
  return found;
}

async function mustBePermissions(ctx: SystemCtx, scopes: readonly string[]): Promise<void> {
  const unknown = new Set(await unknownPermissions(ctx.central, scopes));
  const wrong = scopes.flatMap((scope, index) =>
    unknown.has(scope) ? [[`scopes.${index}`, ['There is no such permission.']]] : [],
  );
  if (wrong.length > 0) throw invalid(Object.fromEntries(wrong));
}

/** Nobody gets more by way of a client than it has. */
function mustHold(ctx: SystemCtx, scopes: readonly string[]): void {
  const lacking = scopes.find((scope) => !ctx.can(scope));
  if (lacking !== undefined) throw fail('identity.scope_not_held', { scope: lacking });
}
