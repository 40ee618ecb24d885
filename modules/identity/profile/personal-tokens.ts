import { type Db, type Issues, type SystemCtx, sql } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import { checkPermissions } from '../accounts/permissions.ts';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import type { NewPersonalToken, PersonalToken } from '../schemas.ts';
import { type Confirmation, checkConfirmation } from './own-session.ts';

/** The OAuth client of all personal access tokens. Step 2 of the installation creates it. */
export const personalClient = 'chowk-personal';
/** The scope that does not limit the token. */
const allScopes = '*';
const maxTokens = 100;

const columns = sql`id, name, coalesce(scopes, ARRAY['*']) AS scopes, created_at, nullif(last_used_at, created_at) AS last_used_at,
  expires_at`;

export async function createPersonalClient(central: Db): Promise<void> {
  await central.run(sql`
    INSERT INTO oauth_clients (id, name, grants) VALUES (${personalClient}, 'Personal Access Client', '{personal}')
    ON CONFLICT (id) DO NOTHING`);
}

export function listTokens(ctx: SystemCtx): Promise<PersonalToken[]> {
  return ctx.central.rows<PersonalToken>(sql`
    SELECT ${columns} FROM sessions
    WHERE user_id = ${ctx.user.id} AND kind = 'personal' AND revoked_at IS NULL ORDER BY created_at DESC, id DESC`);
}

export async function checkToken(
  ctx: SystemCtx,
  { scopes = [], expires_at, ...confirmation }: Partial<NewPersonalToken> & Confirmation,
  issues: Issues,
): Promise<void> {
  if (expires_at !== undefined && !(Date.parse(expires_at) > ctx.now().getTime())) {
    issues.add('expires_at', 'The expiry must be in the future.');
  }
  await checkPermissions(ctx.central, { field: 'scopes', names: scopes, allowed: [allScopes] }, issues);
  await checkConfirmation(ctx, confirmation, issues);
}

export async function createToken(
  ctx: SystemCtx,
  { name, scopes, expires_at }: NewPersonalToken,
): Promise<{ token: PersonalToken; access_token: string }> {
  if ((await listTokens(ctx)).length >= maxTokens) throw fail('identity.too_many_tokens', { max: maxTokens });
  const { id, token: access_token } = await getAccounts(ctx.system).sessions.issuePersonal({
    userId: ctx.user.id,
    kind: 'personal',
    clientId: personalClient,
    name,
    scopes: scopes.includes(allScopes) ? undefined : [...new Set(scopes)],
    client: ctx.client,
    expiresAt: expires_at,
  });
  await record(ctx, { action: 'token_created', details: { name, scopes } });
  const token = await ctx.central.row<PersonalToken>(sql`SELECT ${columns} FROM sessions WHERE id = ${id}`);
  return { token: token as PersonalToken, access_token };
}

export async function revokeToken(ctx: SystemCtx, { id }: { id: string }): Promise<void> {
  const token = await ctx.central.row<{ name: string }>(sql`
    SELECT name FROM sessions
    WHERE id = ${id} AND user_id = ${ctx.user.id} AND kind = 'personal' AND revoked_at IS NULL`);
  if (!token) throw fail('identity.token_not_found');
  await getAccounts(ctx.system).sessions.revoke(id);
  await record(ctx, { action: 'token_revoked', details: { name: token.name } });
}
