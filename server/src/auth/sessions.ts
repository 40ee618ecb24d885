import { createHash, randomBytes } from 'node:crypto';
import {
  type Db,
  type FoundSession,
  type Log,
  type NewSession,
  type Session,
  type SessionKind,
  type Sessions,
  sql,
  type Tokens,
} from '@chowk/kit';
import { v7 as uuidv7 } from 'uuid';
import { GuardedCache } from '../cache.ts';
import type { Signals } from '../db/signals.ts';
import { andThen, type MaybePromise } from '../maybe-promise.ts';
import { networkOf } from '../network.ts';
import { type AccessTokens, accessTokenSeconds } from './access-tokens.ts';
import type { Caller } from './identity.ts';

interface SessionRow {
  id: string;
  user_id: number;
  kind: SessionKind;
  scopes: string[] | null;
  authenticated_at: string;
  expires_at: string | null;
  name: string;
  email: string | null;
  verified: boolean;
  two_factor: boolean;
  frozen: boolean;
}

/** A caller and until when it is one, in milliseconds since 1970. */
interface Signed {
  readonly caller: Caller;
  readonly until: number;
  /** When its use was last written down. */
  usedAt: number;
}

const refreshDays = 30;
/** How often the use of a session is written down. */
const noteUseMs = 5 * 60_000;
const personalPrefix = 'chowk_pat_';
const refreshPrefix = 'chowk_rt_';
/** The program that people sign in with when they name none. */
const defaultClient = 'chowk-console';

/** Sessions and their tokens. What is kept in memory is dropped the moment a session or its user changes anywhere. */
export class SessionStore implements Sessions {
  readonly #central: Db;
  readonly #tokens: AccessTokens;
  readonly #now: () => Date;
  readonly #log: Log;
  readonly #byId: GuardedCache<Signed>;
  /** Personal access tokens, by what is kept of them. */
  readonly #byHash: GuardedCache<Signed>;

  constructor(parts: { central: Db; signals: Signals; tokens: AccessTokens; now: () => Date; log: Log }) {
    const { central, signals } = parts;
    this.#central = central;
    this.#tokens = parts.tokens;
    this.#now = parts.now;
    this.#log = parts.log;
    this.#byId = new GuardedCache({ max: 50_000, load: (id) => this.#load(sql`s.id = ${id}::uuid`) });
    this.#byHash = new GuardedCache({
      max: 20_000,
      load: (hash) => this.#load(sql`s.token_hash = ${Buffer.from(hash, 'base64')}`),
    });
    const onConnectionChange = (ok: boolean) => {
      this.#byId.trust(ok);
      this.#byHash.trust(ok);
    };
    void signals.listen('chowk_session', { onNotify: (id) => this.#sessionChanged(id), onConnectionChange });
    void signals.listen('chowk_user', { onNotify: (id) => this.#userChanged(Number(id)), onConnectionChange });
  }

  /** Whose token it is, if it is good now. */
  authenticate(token: string): MaybePromise<Caller | undefined> {
    if (token.startsWith(personalPrefix)) {
      const hash = createHash('sha256').update(token).digest('base64');
      return andThen(this.#byHash.get(hash), (signed) => this.#ifNotOver(signed));
    }
    return andThen(this.#tokens.verify(token), (said) => {
      if (!said) return undefined;
      return andThen(this.#byId.get(said.sessionId), (signed) =>
        signed?.caller.id === said.userId ? this.#ifNotOver(signed) : undefined,
      );
    });
  }

  async open(session: NewSession, { db = this.#central }: { db?: Db } = {}): Promise<Tokens> {
    const id = uuidv7();
    const refreshToken = newRefreshToken();
    await db.run(sql`
      WITH session AS (${insertSession(id, session, sql`now() + make_interval(days => ${refreshDays})`)} RETURNING id)
      INSERT INTO refresh_tokens (hash, session_id, expires_at)
      SELECT ${sha256(refreshToken)}, id, now() + make_interval(days => ${refreshDays}) FROM session`);
    return this.#pair(id, session, refreshToken);
  }

  async openBriefly(
    session: NewSession,
    { db = this.#central }: { db?: Db } = {},
  ): Promise<Omit<Tokens, 'refresh_token'>> {
    const id = uuidv7();
    await db.run(insertSession(id, session, sql`now() + make_interval(secs => ${accessTokenSeconds})`));
    return this.#access(id, session);
  }

  async issuePersonal(
    session: NewSession & { expiresAt?: string | undefined },
  ): Promise<{ id: string; token: string }> {
    const id = uuidv7();
    const token = personalPrefix + randomBytes(32).toString('base64url');
    await this.#central.run(
      insertSession(
        id,
        { ...session, kind: 'personal' },
        sql`${session.expiresAt ?? null}::timestamptz`,
        sha256(token),
      ),
    );
    return { id, token };
  }

  async refresh(
    refreshToken: string,
    clientId?: string,
  ): Promise<(Tokens & { userId: number; scopes: readonly string[] | null }) | undefined> {
    const next = newRefreshToken();
    const session = await this.#central.tx(async (tx) => {
      const found = await lockRefreshToken(tx, refreshToken);
      if (!found || found.over || (clientId !== undefined && found.client_id !== clientId)) return undefined;
      if (found.used) {
        this.#log.warn(
          { session: found.id, user: found.user_id },
          'a refresh token was used twice; its session is over',
        );
        await tx.run(sql`UPDATE sessions SET revoked_at = now() WHERE id = ${found.id} AND revoked_at IS NULL`);
        return undefined;
      }
      await tx.run(sql`
        WITH used AS (UPDATE refresh_tokens SET used_at = now() WHERE hash = ${sha256(refreshToken)}),
        session AS (
          UPDATE sessions SET last_used_at = now(), expires_at = now() + make_interval(days => ${refreshDays})
          WHERE id = ${found.id})
        INSERT INTO refresh_tokens (hash, session_id, expires_at)
        VALUES (${sha256(next)}, ${found.id}, now() + make_interval(days => ${refreshDays}))`);
      return found;
    });
    if (!session) return undefined;
    const { id, user_id: userId, client_id, scopes } = session;
    const tokens = await this.#pair(
      id,
      { userId, clientId: client_id ?? undefined, scopes: scopes ?? undefined },
      next,
    );
    return { ...tokens, userId, scopes };
  }

  async find(token: string): Promise<FoundSession | undefined> {
    const said = token.startsWith(refreshPrefix) ? undefined : await this.#tokens.verify(token);
    return this.#central.row<FoundSession>(sql`
      SELECT s.id, s.user_id AS "userId", s.client_id AS "clientId", s.scopes FROM sessions s
      WHERE s.id = (SELECT session_id FROM refresh_tokens WHERE hash = ${sha256(token)})
        OR s.token_hash = ${sha256(token)} OR s.id = ${said?.sessionId ?? null}::uuid`);
  }

  async revoke(sessionId: string): Promise<void> {
    await this.#central.run(sql`UPDATE sessions SET revoked_at = now() WHERE id = ${sessionId} AND revoked_at IS NULL`);
    this.#sessionChanged(sessionId);
  }

  async revokeAll(userId: number, { except, db = this.#central }: { except?: string; db?: Db } = {}): Promise<void> {
    await db.run(sql`
      UPDATE sessions SET revoked_at = now()
      WHERE user_id = ${userId} AND revoked_at IS NULL AND id IS DISTINCT FROM ${except ?? null}::uuid`);
    this.#userChanged(userId);
  }

  async #load(where: ReturnType<typeof sql>): Promise<Signed | undefined> {
    const row = await this.#central.row<SessionRow>(sql`
      WITH used AS (
        UPDATE sessions s SET last_used_at = now() WHERE ${where} AND (last_used_at = created_at OR last_used_at < now() - interval '1 minute'))
      SELECT s.id, s.user_id, s.kind, s.scopes, s.authenticated_at, s.expires_at, u.name, u.email,
        u.kind = 'service' OR u.email_verified_at IS NOT NULL AS verified,
        u.two_factor_confirmed_at IS NOT NULL AS two_factor, u.password_exposed_at IS NOT NULL AS frozen
      FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE ${where} AND s.revoked_at IS NULL AND u.disabled_at IS NULL`);
    if (!row) return undefined;
    const session: Session = {
      id: row.id,
      kind: row.kind,
      scopes: row.scopes ? new Set(row.scopes) : undefined,
      authenticatedAt: Date.parse(row.authenticated_at),
    };
    const { user_id: id, name, email, verified: emailVerified, two_factor: twoFactor, frozen } = row;
    const caller = Object.freeze({ id, name, email: email ?? '', emailVerified, twoFactor, session, frozen });
    const until = row.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.expires_at);
    return { caller, until, usedAt: this.#now().getTime() };
  }

  #ifNotOver(signed: Signed | undefined): Caller | undefined {
    const now = this.#now().getTime();
    if (!signed || signed.until <= now) return undefined;
    if (now - signed.usedAt > noteUseMs) this.#noteUse(signed, now);
    return signed.caller;
  }

  /** Behind the caller's back: what it is good for can wait. */
  #noteUse(signed: Signed, now: number): void {
    signed.usedAt = now;
    const { id } = signed.caller.session;
    this.#central.run(sql`UPDATE sessions SET last_used_at = now() WHERE id = ${id}`).catch(() => {});
  }

  async #pair(id: string, session: TokenOwner, refreshToken: string): Promise<Tokens> {
    return { ...(await this.#access(id, session)), refresh_token: refreshToken };
  }

  async #access(sessionId: string, { userId, clientId = defaultClient, scopes }: TokenOwner) {
    const access_token = await this.#tokens.sign({ userId, sessionId, clientId, scopes, id: uuidv7() });
    return { token_type: 'Bearer' as const, access_token, expires_in: accessTokenSeconds };
  }

  #sessionChanged(id: string): void {
    this.#byId.invalidate(id);
    this.#byHash.invalidateWhere(({ caller }) => caller.session.id === id);
  }

  #userChanged(userId: number): void {
    this.#byId.invalidateWhere(({ caller }) => caller.id === userId);
    this.#byHash.invalidateWhere(({ caller }) => caller.id === userId);
  }
}

type TokenOwner = Pick<NewSession, 'userId' | 'clientId' | 'scopes'>;

function insertSession(
  id: string,
  session: NewSession,
  expires: ReturnType<typeof sql>,
  tokenHash: Buffer | null = null,
) {
  const { userId, kind, clientId = defaultClient, name = null, scopes = null, client } = session;
  return sql`
    INSERT INTO sessions (id, user_id, kind, client_id, name, scopes, token_hash, ip, network, user_agent, expires_at)
    VALUES (${id}, ${userId}, ${kind}, ${clientId}, ${name}, ${scopes}::text[], ${tokenHash},
      ${client.address}, ${networkOf(client.address)}, ${client.userAgent?.slice(0, 500) ?? null}, ${expires})`;
}

interface FoundToken {
  id: string;
  user_id: number;
  client_id: string | null;
  scopes: string[] | null;
  used: boolean;
  over: boolean;
}

/** Of two that refresh with the same token at once, the second finds it used. */
function lockRefreshToken(tx: Db, token: string): Promise<FoundToken | undefined> {
  return tx.row<FoundToken>(sql`
    SELECT s.id, s.user_id, s.client_id, s.scopes, r.used_at IS NOT NULL AS used,
      r.expires_at < now() OR s.revoked_at IS NOT NULL OR u.disabled_at IS NOT NULL AS over
    FROM refresh_tokens r JOIN sessions s ON s.id = r.session_id JOIN users u ON u.id = s.user_id
    WHERE r.hash = ${sha256(token)} FOR UPDATE OF r`);
}

function newRefreshToken(): string {
  return refreshPrefix + randomBytes(32).toString('base64url');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
