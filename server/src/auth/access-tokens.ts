import { jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { atMost } from '../cache.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { SigningKeys } from './signing-keys.ts';

/** What an access token says. */
export interface AccessToken {
  readonly userId: number;
  readonly sessionId: string;
  /** In seconds since 1970. */
  readonly expiresAt: number;
  readonly kid: string;
}

export const accessTokenSeconds = 900;

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** No token of ours comes near it; a longer one is not worth a look. */
const longestToken = 4_096;

/**
 * Access tokens: JWTs after RFC 9068, signed with RS256 and nothing else. One that was verified is remembered, so that
 * the next request with it costs a look-up; whether it is over, and whether its key is believed, is asked each time.
 */
export class AccessTokens {
  readonly #keys: SigningKeys;
  readonly #issuer: string;
  readonly #now: () => Date;
  readonly #verified = new LRUCache<string, AccessToken>(atMost(20_000));

  constructor(keys: SigningKeys, issuer: string, now: () => Date) {
    this.#keys = keys;
    this.#issuer = issuer;
    this.#now = now;
  }

  async sign(claims: {
    userId: number;
    sessionId: string;
    clientId: string;
    scopes?: readonly string[] | undefined;
    id: string;
  }) {
    const current = (await this.#keys.get())?.current;
    if (!current) throw new Error("there is no key to sign with; run 'chowkd install' or step 2 of the wizard");
    const issuedAt = Math.floor(this.#now().getTime() / 1_000);
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

  /** What a token says, or `undefined` for one that is not ours or is over. */
  verify(token: string): MaybePromise<AccessToken | undefined> {
    const known = this.#verified.get(token);
    if (!known) return token.length > longestToken ? undefined : this.#verifyNew(token);
    const keys = this.#keys.get();
    if (keys instanceof Promise) return keys.then((there) => this.#stillGood(token, known, there?.believed));
    return this.#stillGood(token, known, keys?.believed);
  }

  #stillGood(token: string, known: AccessToken, believed: ReadonlyMap<string, unknown> | undefined) {
    if (known.expiresAt * 1_000 > this.#now().getTime() && believed?.has(known.kid)) return known;
    this.#verified.delete(token);
    return undefined;
  }

  async #verifyNew(token: string): Promise<AccessToken | undefined> {
    const keys = await this.#keys.get();
    if (!keys) return undefined;
    let kid = '';
    const findKey = (header: { kid?: string | undefined }) => {
      kid = header.kid ?? '';
      const key = keys.believed.get(kid);
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
