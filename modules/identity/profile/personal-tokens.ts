import { Issues, type SystemCtx, sql } from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import { unknownPermissions } from '../permissions.ts';
import type { NewPersonalToken, PersonalToken } from '../schemas.ts';

/** The client that personal access tokens belong to; step 2 of the installation makes it. */
const personalClient = 'chowk-personal';
/** Whatever the user may do. */
const everything = '*';
const most = 100;

const columns = sql`id, name, coalesce(scopes, ARRAY['*']) AS scopes, created_at, nullif(last_used_at, created_at) AS last_used_at,
  expires_at`;

export function listTokens(ctx: SystemCtx): Promise<PersonalToken[]> {
  return ctx.central.rows<PersonalToken>(sql`
    SELECT ${columns} FROM sessions
    WHERE user_id = ${ctx.user.id} AND kind = 'personal' AND revoked_at IS NULL ORDER BY created_at DESC, id DESC`);
}

export async function createToken(
  ctx: SystemCtx,
  wanted: NewPersonalToken,
): Promise<{ token: PersonalToken; access_token: string }> {
  const issues = new Issues();
  await explainToken(ctx, wanted, issues);
  issues.throwIfAny();
  if ((await listTokens(ctx)).length >= most) throw fail('identity.too_many_tokens', { most });
  const { name, scopes, expires_at } = wanted;
  const { id, token: access_token } = await ctx.system.sessions.issuePersonal({
    userId: ctx.user.id,
    kind: 'personal',
    clientId: personalClient,
    name,
    scopes: scopes.includes(everything) ? undefined : [...new Set(scopes)],
    client: ctx.client,
    expiresAt: expires_at,
  });
  await record(ctx, { action: 'token_created', details: { name, scopes } });
  const token = await ctx.central.row<PersonalToken>(sql`SELECT ${columns} FROM sessions WHERE id = ${id}`);
  return { token: token as PersonalToken, access_token };
}

/** Adds what no schema can say: permissions that do not exist, and an end that lies in the past. */
export async function explainToken(
  ctx: SystemCtx,
  { scopes, expires_at }: Partial<NewPersonalToken>,
  issues: Issues,
): Promise<void> {
  if (expires_at !== undefined && !(Date.parse(expires_at) > ctx.now().getTime())) {
    issues.add('expires_at', 'The expires at must lie in the future.');
  }
  if (scopes === undefined) return;
  const unknown = new Set(await unknownPermissions(ctx.central, scopes));
  unknown.delete(everything);
  for (const [index, scope] of scopes.entries()) {
    if (unknown.has(scope)) issues.add(`scopes.${index}`, `There is no permission ${scope}.`, 'not_allowed');
  }
}

export async function revokeToken(ctx: SystemCtx, { id }: { id: string }): Promise<void> {
  const token = await ctx.central.row<{ name: string }>(sql`
    SELECT name FROM sessions
    WHERE id = ${id} AND user_id = ${ctx.user.id} AND kind = 'personal' AND revoked_at IS NULL`);
  if (!token) throw fail('identity.token_not_found');
  await ctx.system.sessions.revoke(id);
  await record(ctx, { action: 'token_revoked', details: { name: token.name } });
}
