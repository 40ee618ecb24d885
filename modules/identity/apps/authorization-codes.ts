import { createHash, timingSafeEqual } from 'node:crypto';
import { type Db, Failure, type SystemCtx, sql } from '@chowk/kit';
import { getAccounts } from '../accounts/accounts.ts';
import type { OAuthClient } from '../oauth/oauth-clients.ts';
import { refuse } from '../oauth/oauth-errors.ts';
import { type Parameters, required } from '../oauth/oauth-parameters.ts';
import type { OAuthToken } from '../oauth/oauth-schemas.ts';
import { formatScope } from '../oauth/oauth-scopes.ts';
import { hashSecret, newSecret } from '../secret-tokens.ts';

const lifetimeSeconds = 60;

interface NewCode {
  readonly grantId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scopes: readonly string[];
}

export async function createCode(ctx: SystemCtx, tx: Db, code: NewCode): Promise<string> {
  const secret = `chowk_ac_${newSecret()}`;
  const expires = new Date(ctx.now().getTime() + lifetimeSeconds * 1_000);
  await tx.run(sql`
    INSERT INTO authorization_codes (hash, grant_id, redirect_uri, challenge, scopes, decided_in, created_at, expires_at)
    VALUES (${hashSecret(secret)}, ${code.grantId}, ${code.redirectUri}, ${code.challenge}, ${code.scopes}::text[],
      ${ctx.session.id}, ${ctx.now()}, ${expires})`);
  return secret;
}

interface Code {
  readonly hash: Buffer;
  readonly grant_id: string;
  readonly app_id: string;
  readonly tenant_id: string;
  readonly user_id: number;
  readonly redirect_uri: string;
  readonly challenge: string;
  readonly scopes: string[];
  readonly session_id: string | null;
  readonly expires_at: string;
  readonly used_at: string | null;
  /** The session in which the user approved was revoked. */
  readonly withdrawn: boolean;
}

/** A code can be redeemed once, also if that fails. A second time ends the session that it opened (RFC 6749, 4.1.2). */
export async function redeemCode(ctx: SystemCtx, client: OAuthClient, parameters: Parameters): Promise<OAuthToken> {
  const secret = required(parameters, 'code');
  const redirectUri = required(parameters, 'redirect_uri');
  const verifier = required(parameters, 'code_verifier');
  const { sessions } = getAccounts(ctx.system);
  let reused: string | null = null;
  // A refusal is returned, not thrown, so that its updates are committed.
  const outcome = await ctx.central.tx(async (tx) => {
    const code = await lockCode(tx, secret);
    if (!code || code.app_id !== client.id) return refuse('invalid_grant', { reason: 'the code is unknown' });
    if (code.used_at !== null) {
      reused = code.session_id;
      return refuse('invalid_grant', { reason: 'the code was already used' });
    }
    const sessionId = ctx.newId();
    const problem = codeProblem(ctx, code, { redirectUri, verifier });
    await tx.run(sql`UPDATE authorization_codes SET used_at = ${ctx.now()} WHERE hash = ${code.hash}`);
    if (problem !== undefined) return refuse('invalid_grant', { reason: problem });
    const tokens = await sessions.open(
      {
        id: sessionId,
        userId: code.user_id,
        kind: 'client',
        clientId: client.id,
        grantId: code.grant_id,
        name: client.name,
        scopes: code.scopes,
        client: ctx.client,
      },
      { db: tx },
    );
    await tx.run(sql`UPDATE authorization_codes SET session_id = ${sessionId} WHERE hash = ${code.hash}`);
    return { ...tokens, ...formatScope(code.scopes), tenant: code.tenant_id };
  });
  if (reused !== null) await sessions.revoke(reused);
  if (outcome instanceof Failure) throw outcome;
  return outcome;
}

function codeProblem(
  ctx: SystemCtx,
  code: Code,
  { redirectUri, verifier }: { redirectUri: string; verifier: string },
): string | undefined {
  if (Date.parse(code.expires_at) <= ctx.now().getTime()) return 'the code has expired';
  if (code.withdrawn) return 'the user has signed out';
  if (code.redirect_uri !== redirectUri) return 'the redirect_uri is not that of the request';
  const isVerifier = /^[\w.~-]{43,128}$/.test(verifier);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  if (!isVerifier || !timingSafeEqual(Buffer.from(challenge), Buffer.from(code.challenge))) {
    return 'the code_verifier does not match';
  }
  return undefined;
}

/** The lock makes the second of two concurrent requests find the code used. */
function lockCode(tx: Db, secret: string): Promise<Code | undefined> {
  return tx.row<Code>(sql`
    SELECT c.hash, c.grant_id, g.app_id, g.tenant_id, g.user_id, c.redirect_uri, c.challenge, c.scopes, c.session_id,
      c.expires_at, c.used_at, s.revoked_at IS NOT NULL AS withdrawn
    FROM authorization_codes c JOIN app_grants g ON g.id = c.grant_id JOIN sessions s ON s.id = c.decided_in
    WHERE c.hash = ${hashSecret(secret)} FOR UPDATE OF c`);
}
