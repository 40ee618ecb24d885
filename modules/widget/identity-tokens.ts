import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Ctx, Email, Line, sql, Type } from '@chowk/kit';
import { fail } from './errors.ts';
import type { WidgetSetup } from './schemas.ts';

/* The server of the shop says who a visitor is: a JWT (RFC 7519), signed with HS256 and the secret of the tenant. */

const name = 'identity';
/** Clocks of servers differ. */
const toleranceSeconds = 60;

const Claims = Type.Object({
  sub: Line(200),
  email: Type.Optional(Email),
  name: Type.Optional(Line(255)),
  exp: Type.Number(),
});

export interface Identity {
  readonly subject: string;
  readonly email: string | null;
  readonly name: string | null;
}

export async function readIdentity(ctx: Ctx, token: string): Promise<Identity> {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const secret = await findSecret(ctx);
  if (secret === undefined) throw refuse('the organization has no secret for them.');
  if (readJson(header)?.alg !== 'HS256') throw refuse('it must be signed with HS256.');
  if (!isSigned(secret, `${header}.${payload}`, signature) || token.split('.').length !== 3) {
    throw refuse('its signature does not match the secret.');
  }
  const claims = readJson(payload);
  if (!claims || ctx.check(Claims, claims))
    throw refuse('it needs the claims sub and exp; email and name are optional.');
  if (Number(claims.exp) + toleranceSeconds < ctx.now().getTime() / 1_000) throw refuse('it has expired.');
  const { sub, email = null, name: fullName = null } = claims as Record<string, string | undefined>;
  return { subject: sub as string, email, name: fullName };
}

function refuse(reason: string) {
  return fail('widget.bad_identity', { reason });
}

function isSigned(secret: string, text: string, signature: string): boolean {
  const expected = createHmac('sha256', secret).update(text).digest();
  const given = Buffer.from(signature, 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function readJson(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

async function findSecret(ctx: Ctx): Promise<string | undefined> {
  const row = await ctx.db.row<{ secret: string }>(sql`SELECT secret FROM widget_secrets WHERE name = ${name}`);
  return row && ctx.secrets.open(name, row.secret);
}

export async function getSetup(ctx: Ctx): Promise<WidgetSetup> {
  const row = await ctx.db.row<{ created_at: string }>(sql`SELECT created_at FROM widget_secrets WHERE name = ${name}`);
  return { script_url: `${ctx.tenantUrl}/widget.js`, secret_created_at: row?.created_at ?? null };
}

/** The one before is not valid any more. */
export async function createIdentitySecret(ctx: Ctx): Promise<{ secret: string }> {
  const secret = randomBytes(32).toString('base64url');
  await ctx.db.run(sql`
    INSERT INTO widget_secrets (name, secret, created_at) VALUES (${name}, ${ctx.secrets.seal(name, secret)}, ${ctx.now()})
    ON CONFLICT (name) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at`);
  return { secret };
}

export async function deleteIdentitySecret(ctx: Ctx): Promise<void> {
  const deleted = await ctx.db.run(sql`DELETE FROM widget_secrets WHERE name = ${name}`);
  if (deleted === 0) throw fail('widget.secret_not_found');
}
