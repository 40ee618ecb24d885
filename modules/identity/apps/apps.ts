import {
  byText,
  byTime,
  changesBetween,
  type Db,
  type Issues,
  list,
  removedFields,
  type Sql,
  type SystemCtx,
  sql,
} from '@chowk/kit';
import { checkPermissions } from '../accounts/permissions.ts';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { type Confirmation, checkConfirmation } from '../profile/own-session.ts';
import { hashSecret, newSecret } from '../secret-tokens.ts';
import { userReference } from '../user-reference.ts';
import { App, type AppChanges, type AppKey, type AppWithSecret, type NewApp } from './app-schemas.ts';
import { checkRedirectUris } from './redirect-uris.ts';

const secretPrefix = 'chowk_as_';
const maxApps = 50;
export const appGrantTypes = ['authorization_code', 'refresh_token'];

const columns = sql`a.id, a.name, a.redirect_uris, a.scopes, a.acts_as, a.has_secret, a.created_at, a.updated_at,
  ${userReference(sql`a.created_by`)} AS created_by`;
const apps = (ctx: SystemCtx): Sql => sql`(
  SELECT app.*, c.name, c.scopes, c.secret_hash IS NOT NULL AS has_secret
  FROM apps app JOIN oauth_clients c ON c.id = app.id WHERE app.tenant_id = ${ctx.tenant.id}) a`;

export const appList = list({
  name: 'apps',
  row: App,
  database: (ctx: SystemCtx) => ctx.central,
  from: apps,
  alias: sql`a`,
  columns,
  sorts: { created_at: byTime(sql`a.created_at`), name: byText(sql`lower(a.name)`) },
  idType: 'text',
});

export async function getApp(ctx: SystemCtx, { id }: AppKey, db: Db = ctx.central): Promise<App> {
  const app = await db.row<App>(sql`SELECT ${columns} FROM ${apps(ctx)} WHERE a.id = ${id}`);
  if (!app) throw fail('identity.app_not_found');
  return app;
}

export async function checkNewApp(
  ctx: SystemCtx,
  { scopes = [], redirect_uris = [], ...confirmation }: Partial<NewApp> & Confirmation,
  issues: Issues,
): Promise<void> {
  checkRedirectUris(redirect_uris, issues);
  await checkPermissions(ctx.central, { field: 'scopes', names: scopes }, issues);
  const count = await ctx.central.row<{ count: number }>(
    sql`SELECT count(*) FROM apps WHERE tenant_id = ${ctx.tenant.id}`,
  );
  if ((count?.count ?? 0) >= maxApps) throw fail('identity.too_many_apps', { max: maxApps });
  await checkConfirmation(ctx, confirmation, issues);
}

/** An app has no rights until someone approves it, so that its maker need not hold its scopes. */
export async function createApp(
  ctx: SystemCtx,
  { name, redirect_uris, scopes, acts_as, has_secret }: NewApp,
): Promise<AppWithSecret> {
  const id = ctx.newId();
  const client_secret = has_secret ? secretPrefix + newSecret() : null;
  const app = await ctx.central.tx(async (tx) => {
    await insertApp(tx, {
      id,
      tenantId: ctx.tenant.id,
      createdBy: ctx.user.id,
      name,
      redirect_uris,
      scopes,
      acts_as,
      client_secret,
    });
    await record(ctx, { action: 'app_created', details: { client_id: id, name, scopes } }, tx);
    return getApp(ctx, { id }, tx);
  });
  ctx.audit({ id: [null, id] });
  return { app, client_secret };
}

interface NewAppRow extends Pick<NewApp, 'name' | 'redirect_uris' | 'scopes' | 'acts_as'> {
  readonly id: string;
  readonly tenantId: string | null;
  readonly createdBy: number | null;
  readonly client_secret: string | null;
}

export async function insertApp(tx: Db, { id, name, scopes, client_secret, ...app }: NewAppRow): Promise<void> {
  const hash = client_secret === null ? null : hashSecret(client_secret);
  await tx.run(sql`
    WITH client AS (
      INSERT INTO oauth_clients (id, name, secret_hash, grants, scopes)
      VALUES (${id}, ${name}, ${hash}, ${appGrantTypes}::text[], ${scopes}::text[]) RETURNING id)
    INSERT INTO apps (id, tenant_id, redirect_uris, acts_as, created_by)
    SELECT id, ${app.tenantId}, ${app.redirect_uris}::text[], ${app.acts_as}, ${app.createdBy} FROM client`);
}

export async function checkAppChanges(
  ctx: SystemCtx,
  { scopes = [], redirect_uris = [], password, otp }: Partial<AppChanges>,
  issues: Issues,
): Promise<void> {
  checkRedirectUris(redirect_uris, issues);
  await checkPermissions(ctx.central, { field: 'scopes', names: scopes }, issues);
  // Codes would be sent to a new redirect URI.
  await checkConfirmation(ctx, { password, otp }, issues);
}

/** What was approved stays as it is: new scopes are only asked for in the next requests. */
export async function updateApp(ctx: SystemCtx, { id, password: _, otp: __, ...changes }: AppChanges): Promise<App> {
  return ctx.central.tx(async (tx) => {
    const before = await lockApp(ctx, tx, id);
    const { name, scopes, redirect_uris } = { ...before, ...changes };
    await tx.run(sql`UPDATE oauth_clients SET name = ${name}, scopes = ${scopes}::text[] WHERE id = ${id}`);
    await tx.run(sql`UPDATE apps SET redirect_uris = ${redirect_uris}::text[], updated_at = now() WHERE id = ${id}`);
    await record(ctx, { action: 'app_updated', details: { client_id: id, name } }, tx);
    ctx.audit(changesBetween(before, { name, scopes, redirect_uris }));
    return getApp(ctx, { id }, tx);
  });
}

/** The old secret is invalid at once. */
export async function rotateAppSecret(ctx: SystemCtx, { id }: AppKey): Promise<AppWithSecret> {
  const client_secret = secretPrefix + newSecret();
  const app = await ctx.central.tx(async (tx) => {
    const { name, has_secret } = await lockApp(ctx, tx, id);
    if (!has_secret) throw fail('identity.app_without_secret');
    await tx.run(sql`UPDATE oauth_clients SET secret_hash = ${hashSecret(client_secret)} WHERE id = ${id}`);
    await tx.run(sql`UPDATE apps SET updated_at = now() WHERE id = ${id}`);
    await record(ctx, { action: 'app_secret_rotated', details: { client_id: id, name } }, tx);
    return getApp(ctx, { id }, tx);
  });
  return { app, client_secret };
}

/** Ends its access everywhere: grants, codes and sessions are deleted with the client. */
export async function deleteApp(ctx: SystemCtx, { id }: AppKey): Promise<void> {
  await ctx.central.tx(async (tx) => {
    const { name, scopes } = await lockApp(ctx, tx, id);
    await tx.run(sql`DELETE FROM oauth_clients WHERE id = ${id}`);
    await record(ctx, { action: 'app_deleted', details: { client_id: id, name } }, tx);
    ctx.audit(removedFields({ name, scopes }));
  });
}

async function lockApp(ctx: SystemCtx, tx: Db, id: string): Promise<App> {
  await tx.row(sql`SELECT FROM apps WHERE id = ${id} AND tenant_id = ${ctx.tenant.id} FOR UPDATE`);
  const app = await getApp(ctx, { id }, tx);
  ctx.mustMatch(app);
  return app;
}
