import { type FieldErrors, invalid, type Static, type SystemCtx, sql } from '@chowk/kit';
import { record } from '../activity/activity.ts';
import { fail } from '../errors.ts';
import type { NewToken, TokenItem } from '../schemas.ts';

type Item = Static<typeof TokenItem>;

/** The client that personal access tokens belong to; step 2 of the installation makes it. */
const personalClient = 'chowk-personal';
/** Whatever the user may do. */
const everything = '*';
const most = 100;

const columns = sql`id, name, coalesce(scopes, ARRAY['*']) AS scopes, created_at, nullif(last_used_at, created_at) AS last_used_at,
  expires_at`;

export function listTokens(ctx: SystemCtx): Promise<Item[]> {
  return ctx.central.rows<Item>(sql`
    SELECT ${columns} FROM sessions
    WHERE user_id = ${ctx.user.id} AND kind = 'personal' AND revoked_at IS NULL ORDER BY created_at DESC, id DESC`);
}

export async function makeToken(
  ctx: SystemCtx,
  wanted: Static<typeof NewToken>,
): Promise<{ token: Item; access_token: string }> {
  const { name, scopes, expires_at } = wanted;
  if (expires_at !== undefined && !(Date.parse(expires_at) > ctx.now().getTime())) {
    throw invalid({ expires_at: ['The expires at must lie in the future.'] });
  }
  await checkScopes(ctx, scopes);
  if ((await listTokens(ctx)).length >= most) throw fail('identity.too_many_tokens', { most });
  const { id, token: secret } = await ctx.platform.sessions.issuePersonal({
    userId: ctx.user.id,
    kind: 'personal',
    clientId: personalClient,
    name,
    scopes: scopes.includes(everything) ? undefined : [...new Set(scopes)],
    client: ctx.client,
    expiresAt: expires_at,
  });
  await record(ctx, { action: 'token_created', details: { name, scopes } });
  const token = await ctx.central.row<Item>(sql`SELECT ${columns} FROM sessions WHERE id = ${id}`);
  return { token: token as Item, access_token: secret };
}

export async function revokeToken(ctx: SystemCtx, id: string): Promise<void> {
  const token = await ctx.central.row<{ name: string }>(sql`
    SELECT name FROM sessions
    WHERE id = ${id} AND user_id = ${ctx.user.id} AND kind = 'personal' AND revoked_at IS NULL`);
  if (!token) throw fail('identity.token_not_found');
  await ctx.platform.sessions.revoke(id);
  await record(ctx, { action: 'token_revoked', details: { name: token.name } });
}

async function checkScopes({ central }: SystemCtx, scopes: readonly string[]): Promise<void> {
  const rows = await central.rows<{ name: string }>(
    sql`SELECT name FROM permissions WHERE name = ANY(${scopes}::text[])`,
  );
  const known = new Set([everything, ...rows.map(({ name }) => name)]);
  const errors: FieldErrors = {};
  for (const [index, scope] of scopes.entries()) {
    if (!known.has(scope)) errors[`scopes.${index}`] = [`There is no permission ${scope}.`];
  }
  if (Object.keys(errors).length > 0) throw invalid(errors);
}
