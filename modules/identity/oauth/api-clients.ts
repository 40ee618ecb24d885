import {
  byText,
  byTime,
  changesBetween,
  type Db,
  forbidden,
  type Issues,
  list,
  removedFields,
  type Sql,
  type SystemCtx,
  sql,
} from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { checkGrant, mustHold } from '../accounts/permissions.ts';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { type Confirmation, checkConfirmation, mustBeLogin } from '../profile/own-session.ts';
import { hashSecret, newSecret } from '../secret-tokens.ts';
import { userReference } from '../user-reference.ts';
import { deleteClients } from './api-client-makers.ts';
import {
  ApiClient,
  type ApiClientChanges,
  type ApiClientWithSecret,
  type ClientKey,
  type NewApiClient,
} from './api-client-schemas.ts';

/** Lets secret scanners recognize a leaked secret. */
const secretPrefix = 'chowk_cs_';
const maxClients = 100;

const columns = sql`c.id, c.name, c.scopes, c.created_at, c.updated_at, c.last_used_at, c.secret_expires_at,
  ${userReference(sql`c.created_by`)} AS created_by`;
/** Those without grants belong to apps that act for the organization. */
const isApiClient = (ctx: SystemCtx): Sql => sql`tenant_id = ${ctx.tenant.id} AND grants <> '{}'`;
const clients = (ctx: SystemCtx): Sql => sql`(SELECT * FROM oauth_clients WHERE ${isApiClient(ctx)}) c`;

export const apiClientList = list({
  name: 'api_clients',
  row: ApiClient,
  database: (ctx: SystemCtx) => ctx.central,
  from: clients,
  alias: sql`c`,
  columns,
  sorts: { created_at: byTime(sql`c.created_at`), name: byText(sql`lower(c.name)`) },
  idType: 'text',
});

export async function getApiClient(ctx: SystemCtx, { id }: ClientKey): Promise<ApiClient> {
  const client = await ctx.central.row<ApiClient>(sql`SELECT ${columns} FROM ${clients(ctx)} WHERE c.id = ${id}`);
  if (!client) throw fail('identity.api_client_not_found');
  return client;
}

export async function checkNewApiClient(
  ctx: SystemCtx,
  { scopes = [], ...confirmation }: Partial<NewApiClient> & Confirmation,
  issues: Issues,
): Promise<void> {
  await checkGrant(ctx, grantScopes(scopes), issues);
  await mustBeBelowMaximum(ctx);
  await checkConfirmation(ctx, confirmation, issues);
}

/** A client acts as its own service user, whose membership holds the permissions. */
export async function createApiClient(ctx: SystemCtx, { name, scopes }: NewApiClient): Promise<ApiClientWithSecret> {
  const id = ctx.newId();
  const client_secret = secretPrefix + newSecret();
  const tenantId = ctx.tenant.id;
  const api_client = await ctx.central.tx(async (tx) => {
    await lockMembership(ctx, tx);
    const user = await tx.row<{ id: number }>(sql`
      INSERT INTO users (kind, name) VALUES ('service', ${name}) RETURNING id`);
    const subjectId = (user as { id: number }).id;
    await tx.run(sql`
      INSERT INTO memberships (user_id, tenant_id, permissions) VALUES (${subjectId}, ${tenantId}, ${scopes}::text[])`);
    await record(ctx, { action: 'api_client_created', subjectId, details: { client_id: id, name, scopes } }, tx);
    return tx.row<ApiClient>(sql`
      INSERT INTO oauth_clients AS c (id, tenant_id, user_id, name, secret_hash, grants, scopes, created_by)
      VALUES (${id}, ${tenantId}, ${subjectId}, ${name}, ${hashSecret(client_secret)}, '{client_credentials}',
        ${scopes}::text[], ${ctx.user.id})
      RETURNING ${columns}`);
  });
  ctx.audit({ id: [null, id] });
  return { api_client: api_client as ApiClient, client_secret };
}

/** A concurrent removal of the caller from the team either precedes this or finds the new client. */
async function lockMembership(ctx: SystemCtx, tx: Db): Promise<void> {
  const membership = await tx.row(sql`
    SELECT FROM memberships WHERE user_id = ${ctx.user.id} AND tenant_id = ${ctx.tenant.id} FOR SHARE`);
  if (!membership) throw forbidden('settings.api_clients');
}

/** Adding scopes needs the same proof as creating a client. Returns whether it was given. */
export async function checkApiClientChanges(
  ctx: SystemCtx,
  { id, scopes = [], password, otp }: Partial<ApiClientChanges>,
  issues: Issues,
): Promise<boolean> {
  if (id === undefined) return false;
  const current = await getApiClient(ctx, { id });
  if (isWithin(scopes, current.scopes)) return false;
  await mustBeLogin(ctx);
  await checkGrant(ctx, grantScopes(scopes, current.scopes), issues);
  await checkConfirmation(ctx, { password, otp }, issues);
  return true;
}

/** New scopes apply to existing tokens too. */
export async function updateApiClient(
  ctx: SystemCtx,
  { id, password: _, otp: __, ...changes }: ApiClientChanges,
  isConfirmed: boolean,
): Promise<ApiClient> {
  return ctx.central.tx(async (tx) => {
    const before = await lockApiClient(ctx, tx, id);
    const { user_id: subjectId } = before;
    const { name, scopes } = { ...before, ...changes };
    // Scopes were removed since the check: what was no addition then is one now.
    if (!isConfirmed && !isWithin(scopes, before.scopes)) throw fail('identity.api_client_changed');
    mustHold(ctx, grantScopes(scopes, before.scopes));
    await tx.run(sql`UPDATE users SET name = ${name}, updated_at = now() WHERE id = ${subjectId}`);
    await tx.run(sql`
      UPDATE memberships SET permissions = ${scopes}::text[], updated_at = now()
      WHERE user_id = ${subjectId} AND tenant_id = ${ctx.tenant.id}`);
    const added = scopes.filter((scope) => !before.scopes.includes(scope));
    const removed = before.scopes.filter((scope) => !scopes.includes(scope));
    await record(
      ctx,
      { action: 'api_client_updated', subjectId, details: { client_id: id, name, added, removed } },
      tx,
    );
    ctx.audit(changesBetween(before, { name, scopes }));
    return saveClient(tx, id, sql`name = ${name}, scopes = ${scopes}::text[]`);
  });
}

/** The old secret is invalid at once. The caller must hold the scopes, since it can use the new secret. */
export async function rotateSecret(ctx: SystemCtx, { id }: ClientKey): Promise<ApiClientWithSecret> {
  const client_secret = secretPrefix + newSecret();
  const api_client = await ctx.central.tx(async (tx) => {
    const { user_id: subjectId, scopes, name } = await lockApiClient(ctx, tx, id);
    mustHold(ctx, grantScopes(scopes));
    await record(ctx, { action: 'api_client_secret_rotated', subjectId, details: { client_id: id, name } }, tx);
    const replaced = sql`secret_replaced_by = ${ctx.user.id}, secret_replaced_at = now()`;
    return saveClient(tx, id, sql`secret_hash = ${hashSecret(client_secret)}, secret_expires_at = NULL, ${replaced}`);
  });
  return { api_client, client_secret };
}

export async function deleteApiClient(ctx: SystemCtx, { id }: ClientKey): Promise<void> {
  const userId = await ctx.central.tx(async (tx) => {
    const { user_id, name, scopes } = await lockApiClient(ctx, tx, id);
    await deleteClients(ctx, tx, sql`c.id = ${id}`);
    ctx.audit(removedFields({ name, scopes }));
    return user_id;
  });
  // Other processes are notified; this one invalidates its cache at once.
  await getAccounts(ctx.system).sessions.revokeAll(userId);
}

async function lockApiClient(ctx: SystemCtx, tx: Db, id: string): Promise<ApiClient & { user_id: number }> {
  const client = await tx.row<ApiClient & { user_id: number }>(sql`
    SELECT ${columns}, c.user_id FROM ${clients(ctx)} WHERE c.id = ${id} FOR UPDATE`);
  if (!client) throw fail('identity.api_client_not_found');
  ctx.mustMatch(client);
  return client;
}

async function saveClient(tx: Db, id: string, changes: Sql): Promise<ApiClient> {
  const saved = await tx.row<ApiClient>(sql`
    UPDATE oauth_clients c SET ${changes}, updated_at = now() WHERE c.id = ${id} RETURNING ${columns}`);
  return saved as ApiClient;
}

async function mustBeBelowMaximum(ctx: SystemCtx): Promise<void> {
  const row = await ctx.central.row<{ count: number }>(
    sql`SELECT count(*) FROM oauth_clients WHERE ${isApiClient(ctx)}`,
  );
  if ((row?.count ?? 0) >= maxClients) throw fail('identity.too_many_api_clients', { max: maxClients });
}

function isWithin(scopes: readonly string[], others: readonly string[]): boolean {
  return scopes.every((scope) => others.includes(scope));
}

/** A client must not get permissions that the caller lacks. */
function grantScopes(names: readonly string[], allowed: readonly string[] = []) {
  return { field: 'scopes', names, allowed, refusal: 'identity.scope_not_held' } as const;
}
