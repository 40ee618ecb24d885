import { type MaybePromise, type SystemServices, whenReady } from '@chowk/kit';
import { jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { SigningKeys } from './signing-keys.ts';

interface AccessToken {
  readonly userId: number;
  readonly sessionId: string;
  /** In seconds since 1970. */
  readonly expiresAt: number;
  readonly kid: string;
}

export const accessTokenSeconds = 900;

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** In characters. Valid tokens are far shorter; a longer one is rejected without parsing. */
const maxTokenLength = 4_096;

/**
 * Access tokens: JWTs as in RFC 9068, signed with RS256 only. A verified token is cached; its expiry and its key are
 * checked on every use.
 */
export class AccessTokens {
  readonly #keys: SigningKeys;
  readonly #issuer: string;
  readonly #now: () => Date;
  // The option `max` would allocate all entries at once.
  readonly #verified = new LRUCache<string, AccessToken>({ maxSize: 20_000, sizeCalculation: () => 1 });

  constructor(keys: SigningKeys, { url, now }: Pick<SystemServices, 'url' | 'now'>) {
    this.#keys = keys;
    this.#issuer = url;
    this.#now = now;
  }

  async sign(claims: {
    userId: number;
    sessionId: string;
    clientId: string;
    scopes?: readonly string[] | undefined;
    id: string;
    issuedAt: Date;
  }) {
    const current = (await this.#keys.get())?.current;
    if (!current) throw new Error("there is no signing key; run 'chowkd install' or step 2 of the installation");
    const issuedAt = Math.floor(claims.issuedAt.getTime() / 1_000);
    return new SignJWT({
      client_id: claims.clientId,
      sid: claims.sessionId,
      ...(claims.scopes ? { scope: claims.scopes.join(' ') } : {}),
    })
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: current.kid })
      .setIssuer(this.#issuer)
      .setAudience(this.#issuer)
      .setSubject(String(claims.userId))
      .setJti(claims.id)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + accessTokenSeconds)
      .sign(current.key);
  }

  /** The claims of a token, or `undefined` if it is forged, expired or signed with a revoked key. */
  verify(token: string): MaybePromise<AccessToken | undefined> {
    const cached = this.#verified.get(token);
    if (!cached) return token.length > maxTokenLength ? undefined : this.#verifyNew(token);
    return whenReady(this.#keys.get(), (keys) => {
      if (cached.expiresAt * 1_000 > this.#now().getTime() && keys?.trusted.has(cached.kid)) return cached;
      this.#verified.delete(token);
      return undefined;
    });
  }

  async #verifyNew(token: string): Promise<AccessToken | undefined> {
    const keys = await this.#keys.get();
    if (!keys) return undefined;
    let kid = '';
    const findKey = (header: { kid?: string | undefined }) => {
      kid = header.kid ?? '';
      const key = keys.trusted.get(kid);
      if (!key) throw new Error('unknown key');
      return key;
    };
    try {
      const { payload } = await jwtVerify(token, findKey, {
        algorithms: ['RS256'],
        typ: 'at+jwt',
        issuer: this.#issuer,
        audience: this.#issuer,
        requiredClaims: ['sub', 'exp', 'sid', 'client_id', 'jti', 'iat'],
        currentDate: this.#now(),
      });
      const { sub, sid, exp = 0 } = payload as { sub: string; sid?: unknown; exp?: number };
      const userId = /^[1-9]\d{0,15}$/.test(sub) ? Number(sub) : undefined;
      if (userId === undefined || typeof sid !== 'string' || !uuid.test(sid)) return undefined;
      const verified = { userId, sessionId: sid, expiresAt: exp, kid };
      this.#verified.set(token, verified);
      return verified;
    } catch {
      return undefined;
    }
  }
}
