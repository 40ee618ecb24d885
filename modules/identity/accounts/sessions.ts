import { createHash, randomBytes } from 'node:crypto';
import {
  type Caller,
  type Db,
  GuardedCache,
  type MaybePromise,
  type Sql,
  type SystemCtx,
  type SystemServices,
  sql,
  whenReady,
} from '@chowk/kit';
import { type AccessTokens, accessTokenSeconds } from './access-tokens.ts';
import { isShownEmailVerified, shownEmail } from './users.ts';

type Session = Caller['session'];

export interface NewSession {
  readonly id?: string | undefined;
  readonly userId: number;
  readonly kind: Session['kind'];
  readonly clientId?: string | undefined;
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** What a user has approved an app for. */
  readonly grantId?: string | undefined;
  readonly client: Pick<SystemCtx['client'], 'address' | 'network' | 'userAgent'>;
}

/** As an OAuth token response names them. */
export interface Tokens {
  readonly token_type: 'Bearer';
  readonly access_token: string;
  /** In seconds. */
  readonly expires_in: number;
  readonly refresh_token: string;
}

interface StoredSession {
  readonly id: string;
  readonly userId: number;
  readonly clientId: string | null;
  readonly scopes: readonly string[] | null;
}

interface SessionRow {
  id: string;
  user_id: number;
  kind: Session['kind'];
  client_id: string | null;
  tenant_id: string | null;
  scopes: string[] | null;
  authenticated_at: string;
  expires_at: string | null;
  name: string;
  email: string | null;
  verified: boolean;
  sign_in_email: string | null;
  sign_in_verified: boolean;
  two_factor: boolean;
}

interface CachedSession {
  readonly caller: Caller;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  /** When `last_used_at` was last written. */
  usedAt: number;
}

const refreshDays = 30;
/** How long a client that has lost the answer may send the same refresh token again. */
const repetitionMs = 30_000;
/** How often `last_used_at` of a session is written at most. */
const recordUseMs = 5 * 60_000;
const personalPrefix = 'chowk_pat_';
const refreshPrefix = 'chowk_rt_';
/** The client of sessions that name none. */
const defaultClient = 'chowk-console';

type Services = Pick<SystemServices, 'central' | 'signals' | 'secrets' | 'now' | 'newId' | 'log'>;

/** Sessions and their tokens. Cached sessions are dropped as soon as any process changes the session or its user. */
export class Sessions {
  readonly #services: Services;
  readonly #central: Db;
  readonly #tokens: AccessTokens;
  readonly #byId: GuardedCache<CachedSession>;
  /** Personal access tokens, by their SHA-256. */
  readonly #byHash: GuardedCache<CachedSession>;

  constructor(tokens: AccessTokens, services: Services) {
    const { central, signals } = services;
    this.#services = services;
    this.#central = central;
    this.#tokens = tokens;
    this.#byId = new GuardedCache({ max: 50_000, load: (id) => this.#load(sql`s.id = ${id}::uuid`) });
    this.#byHash = new GuardedCache({
      max: 20_000,
      load: (hash) => this.#load(sql`s.token_hash = ${Buffer.from(hash, 'base64')}`),
    });
    const onConnectionChange = (isConnected: boolean) => {
      this.#byId.trust(isConnected);
      this.#byHash.trust(isConnected);
    };
    void signals.listen('chowk_session', { onNotify: (id) => this.#invalidateSession(id), onConnectionChange });
    void signals.listen('chowk_user', { onNotify: (id) => this.invalidateUser(Number(id)), onConnectionChange });
  }

  /** The caller of a valid token. */
  authenticate(token: string): MaybePromise<Caller | undefined> {
    if (token.startsWith(personalPrefix)) {
      const hash = createHash('sha256').update(token).digest('base64');
      return whenReady(this.#byHash.get(hash), (session) => this.#unlessExpired(session));
    }
    return whenReady(this.#tokens.verify(token), (claims) => claims && this.#findSession(claims));
  }

  #findSession({ sessionId, userId }: { sessionId: string; userId: number }): MaybePromise<Caller | undefined> {
    return whenReady(this.#byId.get(sessionId), (session) =>
      session?.caller.id === userId ? this.#unlessExpired(session) : undefined,
    );
  }

  /** The caller of a session that has not ended. */
  async findCaller(sessionId: string): Promise<Caller | undefined> {
    return this.#unlessExpired(await this.#byId.get(sessionId));
  }

  /** Opens a session, in the transaction `db` if given. */
  async open(session: NewSession, { db = this.#central }: { db?: Db } = {}): Promise<Tokens> {
    const id = session.id ?? this.#services.newId();
    const refreshToken = newRefreshToken();
    await db.run(sql`
      WITH session AS (${insertSession(id, session, sql`now() + make_interval(days => ${refreshDays})`)} RETURNING id)
      INSERT INTO refresh_tokens (hash, session_id, expires_at)
      SELECT ${sha256(refreshToken)}, id, now() + make_interval(days => ${refreshDays}) FROM session`);
    return { ...(await this.#access(id, session)), refresh_token: refreshToken };
  }

  /** Opens a session that cannot be refreshed. */
  async openBriefly(
    session: NewSession,
    { db = this.#central }: { db?: Db } = {},
  ): Promise<Omit<Tokens, 'refresh_token'>> {
    const id = this.#services.newId();
    await db.run(insertSession(id, session, sql`now() + make_interval(secs => ${accessTokenSeconds})`));
    return this.#access(id, session);
  }

  /** A personal access token: no JWT, valid until it expires or is revoked. Only its hash is stored. */
  async issuePersonal(
    session: NewSession & { expiresAt?: string | undefined },
  ): Promise<{ id: string; token: string }> {
    const id = this.#services.newId();
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

  /**
   * The next pair of tokens; `undefined` if the token is unknown, expired or used. A reused one revokes its session, unless
   * the same client sends it again at once, because the answer was lost: it gets the same pair.
   */
  async refresh(
    refreshToken: string,
    { clientId, client = { network: '', userAgent: undefined } }: RefreshingClient = {},
  ): Promise<(Tokens & { userId: number; scopes: readonly string[] | null; tenantId: string | null }) | undefined> {
    const now = this.#services.now();
    const usedBy = sha256(`${client.network}\n${client.userAgent ?? ''}`);
    // Derived, so that the same token has the same successor, which is stored nowhere.
    const next = refreshPrefix + this.#services.secrets.sign('refresh token', refreshToken);
    const session = await this.#central.tx(async (tx) => {
      const owner = await lockRefreshToken(tx, refreshToken);
      if (!owner || owner.expired || (clientId !== undefined && owner.client_id !== clientId)) return undefined;
      if (owner.used_at !== null && (await isRepetition(tx, { ...owner, next, usedBy, now }))) return owner;
      if (owner.used_at !== null) {
        this.#services.log.warn(
          { session: owner.id, user: owner.user_id },
          'revoked a session: its refresh token was used twice',
        );
        await tx.run(sql`UPDATE sessions SET revoked_at = now() WHERE id = ${owner.id} AND revoked_at IS NULL`);
        return undefined;
      }
      await tx.run(sql`
        WITH used AS (
          UPDATE refresh_tokens SET used_at = ${now}, used_by = ${usedBy} WHERE hash = ${sha256(refreshToken)}),
        session AS (
          UPDATE sessions SET last_used_at = now(), expires_at = now() + make_interval(days => ${refreshDays})
          WHERE id = ${owner.id})
        INSERT INTO refresh_tokens (hash, session_id, expires_at)
        VALUES (${sha256(next)}, ${owner.id}, now() + make_interval(days => ${refreshDays}))`);
      return owner;
    });
    if (!session) return undefined;
    const { id, user_id: userId, client_id, scopes, used_at, tenant_id: tenantId } = session;
    const owner = { userId, clientId: client_id ?? undefined, scopes: scopes ?? undefined };
    const issuedAt = used_at === null ? now : new Date(used_at);
    const access = await this.#access(id, owner, { issuedAt, tokenId: sha256(`access ${next}`).toString('hex') });
    return { ...access, refresh_token: next, userId, scopes, tenantId };
  }

  /** The session of an access, refresh or personal token. */
  async find(token: string): Promise<StoredSession | undefined> {
    const claims = token.startsWith(refreshPrefix) ? undefined : await this.#tokens.verify(token);
    return this.#central.row<StoredSession>(sql`
      SELECT s.id, s.user_id AS "userId", s.client_id AS "clientId", s.scopes FROM sessions s
      WHERE s.id = (SELECT session_id FROM refresh_tokens WHERE hash = ${sha256(token)})
        OR s.token_hash = ${sha256(token)} OR s.id = ${claims?.sessionId ?? null}::uuid`);
  }

  async revoke(sessionId: string): Promise<void> {
    await this.#central.run(sql`UPDATE sessions SET revoked_at = now() WHERE id = ${sessionId} AND revoked_at IS NULL`);
    this.#invalidateSession(sessionId);
  }

  /** Revokes all sessions and personal access tokens of a user. */
  async revokeAll(userId: number, { except, db = this.#central }: { except?: string; db?: Db } = {}): Promise<void> {
    await db.run(sql`
      UPDATE sessions SET revoked_at = now()
      WHERE user_id = ${userId} AND revoked_at IS NULL AND id IS DISTINCT FROM ${except ?? null}::uuid`);
    this.invalidateUser(userId);
  }

  async #load(where: Sql): Promise<CachedSession | undefined> {
    const row = await this.#central.row<SessionRow>(sql`
      WITH used AS (
        UPDATE sessions s SET last_used_at = now() WHERE ${where} AND (last_used_at = created_at OR last_used_at < now() - interval '1 minute'))
      SELECT s.id, s.user_id, s.kind, s.client_id, g.tenant_id, s.scopes, s.authenticated_at, s.expires_at, u.name,
        ${shownEmail} AS email, u.kind = 'service' OR ${isShownEmailVerified} AS verified, u.email AS sign_in_email,
        u.kind = 'service' OR u.email_verified_at IS NOT NULL AS sign_in_verified,
        u.two_factor_confirmed_at IS NOT NULL AS two_factor
      FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN app_grants g ON g.id = s.grant_id
      WHERE ${where} AND s.revoked_at IS NULL AND u.disabled_at IS NULL`);
    if (!row) return undefined;
    const session: Session = {
      id: row.id,
      kind: row.kind,
      clientId: row.client_id ?? undefined,
      tenantId: row.tenant_id ?? undefined,
      scopes: row.scopes ? new Set(row.scopes) : undefined,
      authenticatedAt: Date.parse(row.authenticated_at),
    };
    const { user_id: id, name, verified: emailVerified, sign_in_email: signInEmail, two_factor: twoFactor } = row;
    const email = row.email ?? '';
    const signInEmailVerified = row.sign_in_verified;
    const user = { id, name, email, emailVerified, signInEmail, signInEmailVerified, twoFactor };
    const caller = Object.freeze({ ...user, session });
    const expiresAt = row.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.expires_at);
    return { caller, expiresAt, usedAt: this.#services.now().getTime() };
  }

  #unlessExpired(session: CachedSession | undefined): Caller | undefined {
    const now = this.#services.now().getTime();
    if (!session || session.expiresAt <= now) return undefined;
    if (now - session.usedAt > recordUseMs) this.#recordUse(session, now);
    return session.caller;
  }

  /** Not awaited: the request does not depend on it. */
  #recordUse(session: CachedSession, now: number): void {
    session.usedAt = now;
    const { id } = session.caller.session;
    this.#central.run(sql`UPDATE sessions SET last_used_at = now() WHERE id = ${id}`).catch(() => {});
  }

  /** The same token for the same id and time, as RS256 is deterministic. */
  async #access(
    sessionId: string,
    { userId, clientId = defaultClient, scopes }: TokenOwner,
    { issuedAt = this.#services.now(), tokenId = this.#services.newId() } = {},
  ) {
    const access_token = await this.#tokens.sign({ userId, sessionId, clientId, scopes, id: tokenId, issuedAt });
    return { token_type: 'Bearer' as const, access_token, expires_in: accessTokenSeconds };
  }

  #invalidateSession(id: string): void {
    this.#byId.invalidate(id);
    this.#byHash.invalidateWhere(({ caller }) => caller.session.id === id);
  }

  /** Other processes are notified; this one need not wait. */
  invalidateUser(userId: number): void {
    this.#byId.invalidateWhere(({ caller }) => caller.id === userId);
    this.#byHash.invalidateWhere(({ caller }) => caller.id === userId);
  }
}

type TokenOwner = Pick<NewSession, 'userId' | 'clientId' | 'scopes'>;

function insertSession(id: string, session: NewSession, expires: Sql, tokenHash: Buffer | null = null) {
  const { userId, kind, clientId = defaultClient, name = null, scopes = null, grantId = null, client } = session;
  return sql`
    INSERT INTO sessions (id, user_id, kind, client_id, name, scopes, grant_id, token_hash, ip, network, user_agent, expires_at)
    VALUES (${id}, ${userId}, ${kind}, ${clientId}, ${name}, ${scopes}::text[], ${grantId}, ${tokenHash},
      ${client.address}, ${client.network}, ${client.userAgent?.slice(0, 500) ?? null}, ${expires})`;
}

interface TokenOwnerRow {
  id: string;
  user_id: number;
  client_id: string | null;
  scopes: string[] | null;
  tenant_id: string | null;
  used_at: string | null;
  used_by: Buffer | null;
  expired: boolean;
}

/** The client that sends a refresh token. */
interface RefreshingClient {
  readonly clientId?: string;
  readonly client?: Pick<SystemCtx['client'], 'network' | 'userAgent'>;
}

interface Repetition extends Pick<TokenOwnerRow, 'used_at' | 'used_by'> {
  /** The token that the first answer had. */
  readonly next: string;
  readonly usedBy: Buffer;
  readonly now: Date;
}

/** A client that has used the next token has received it, so that whoever sends the old one again is another. */
async function isRepetition(tx: Db, { used_at, used_by, next, usedBy, now }: Repetition): Promise<boolean> {
  if (!used_by?.equals(usedBy) || now.getTime() - Date.parse(used_at ?? '') >= repetitionMs) return false;
  return (await tx.row(sql`SELECT FROM refresh_tokens WHERE hash = ${sha256(next)} AND used_at IS NULL`)) !== undefined;
}

/** The lock makes the second of two concurrent refreshes find the token used. */
function lockRefreshToken(tx: Db, token: string): Promise<TokenOwnerRow | undefined> {
  return tx.row<TokenOwnerRow>(sql`
    SELECT s.id, s.user_id, s.client_id, s.scopes, g.tenant_id, r.used_at, r.used_by,
      r.expires_at < now() OR s.revoked_at IS NOT NULL OR u.disabled_at IS NOT NULL AS expired
    FROM refresh_tokens r JOIN sessions s ON s.id = r.session_id JOIN users u ON u.id = s.user_id
      LEFT JOIN app_grants g ON g.id = s.grant_id
    WHERE r.hash = ${sha256(token)} FOR UPDATE OF r`);
}

function newRefreshToken(): string {
  return refreshPrefix + randomBytes(32).toString('base64url');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
