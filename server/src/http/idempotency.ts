import { createHash } from 'node:crypto';
import type { Caller } from '@chowk/kit/kernel';
import { type Db, type Secrets, sql } from '@chowk/kit/kernel';
import { fail, invalid } from '../errors.ts';
import type { Exchange } from './exchange.ts';

/** A response as it is stored under an idempotency key, without the headers that every response has. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>;
  readonly body: string;
}

/** A POST with an `Idempotency-Key`. */
export interface KeyedRequest {
  readonly caller: string;
  readonly key: string;
  /** A hash of everything that the response depends on. */
  readonly hash: string;
  readonly secrets: Secrets;
}

interface KeyRow {
  request_hash: string;
  /** `NULL` while a request that cannot run in a transaction of the tenant is in progress. */
  response: string | null;
  is_overdue: boolean;
}

/** Stored responses are encrypted: one may contain tokens. */
const encryptionPurpose = 'idempotency';

/** `undefined` for a request that runs every time it is sent. */
export function keyedRequest({ request, caller: user, bodyText, kernel }: Exchange): KeyedRequest | undefined {
  const key = request.headers['idempotency-key'];
  // An anonymous caller cannot prove that a stored response belongs to it.
  if (key === undefined || request.method !== 'POST' || !user) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid({ 'Idempotency-Key': 'The Idempotency-Key must have 1 to 255 visible ASCII characters.' });
  }
  const hash = createHash('sha256')
    .update(`${request.method} ${request.url}\n${tokenScope(user)}\n${bodyText ?? ''}`)
    .digest('hex');
  return { caller: `user ${user.id}`, key, hash, secrets: kernel.secrets };
}

/**
 * Locks the key until the end of the transaction in which the request runs and its response is stored. If the process dies,
 * nothing of the request remains. Resolves to the stored response, if there is one.
 */
export async function lockKey(tx: Db, request: KeyedRequest): Promise<StoredResponse | undefined> {
  const [lock, row] = await Promise.all([tryLock(tx, request), findKey(tx, request)]);
  if (row) return readResponse(row, request);
  if (lock?.has_key) return undefined;
  throw fail(lock?.has_request ? 'http.idempotency_mismatch' : 'http.idempotency_busy');
}

/** Stores the response in the transaction that holds the lock. */
export async function storeResponse(tx: Db, request: KeyedRequest, response: StoredResponse): Promise<void> {
  if (!(await insertKey(tx, request, seal(request, response)))) throw fail('http.idempotency_busy');
}

/**
 * Claims the key of a request that cannot run in one transaction. If the process dies, the key stays claimed, because it is
 * unknown what has changed. Resolves to the stored response, if there is one.
 */
export async function claimKey(db: Db, request: KeyedRequest): Promise<StoredResponse | undefined> {
  if (await insertKey(db, request, null)) return undefined;
  const row = await findKey(db, request);
  if (!row) throw fail('http.idempotency_busy');
  return readResponse(row, request);
}

const heartbeatMs = 15_000;

/** Keeps a claimed key from looking interrupted while its request runs. Returns the function that ends it. */
export function keepClaimed(db: Db, { caller, key }: KeyedRequest): () => void {
  const beat = () =>
    db.run(sql`
      UPDATE idempotency_keys SET expires_at = now() + interval '24 hours'
      WHERE caller = ${caller} AND key = ${key} AND response IS NULL`);
  // A beat that fails is followed by another one.
  const timer = setInterval(() => void beat().catch(() => {}), heartbeatMs).unref();
  return () => clearInterval(timer);
}

/** Stores the response of a claimed key; without a response the key is free again. */
export async function settleKey(db: Db, request: KeyedRequest, response?: StoredResponse): Promise<void> {
  const { caller, key } = request;
  const isClaimed = sql`caller = ${caller} AND key = ${key} AND response IS NULL`;
  await db.run(
    response
      ? sql`UPDATE idempotency_keys SET response = ${seal(request, response)} WHERE ${isClaimed}`
      : sql`DELETE FROM idempotency_keys WHERE ${isClaimed}`,
  );
}

/** The holder of the key also holds its request: if only the request is free, another one is in progress. */
function tryLock(tx: Db, { caller, key, hash }: KeyedRequest) {
  return tx.row<{ has_key: boolean; has_request: boolean }>(sql`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${`${caller} ${key}`}, 0)) AS has_key,
      pg_try_advisory_xact_lock(hashtextextended(${`${caller} ${key} ${hash}`}, 0)) AS has_request`);
}

/** Inserts the key or replaces an expired one. Resolves to whether it did. */
async function insertKey(db: Db, { caller, key, hash }: KeyedRequest, response: string | null): Promise<boolean> {
  const inserted = await db.run(sql`
    INSERT INTO idempotency_keys AS known (caller, key, request_hash, response, expires_at)
    VALUES (${caller}, ${key}, ${hash}, ${response}, now() + interval '24 hours')
    ON CONFLICT (caller, key) DO UPDATE SET request_hash = excluded.request_hash, response = excluded.response,
      expires_at = excluded.expires_at
    WHERE known.expires_at < now()`);
  return inserted === 1;
}

function findKey(db: Db, { caller, key }: KeyedRequest): Promise<KeyRow | undefined> {
  return db.row<KeyRow>(sql`
    SELECT request_hash, response, expires_at < now() + interval '23 hours 59 minutes' AS is_overdue
    FROM idempotency_keys WHERE caller = ${caller} AND key = ${key} AND expires_at >= now()`);
}

function readResponse(row: KeyRow, { caller, key, hash, secrets }: KeyedRequest): StoredResponse {
  if (row.request_hash !== hash) throw fail('http.idempotency_mismatch');
  if (row.response === null) throw fail(row.is_overdue ? 'http.idempotency_interrupted' : 'http.idempotency_busy');
  return JSON.parse(secrets.open(encryptionPurpose, row.response, `${caller} ${key}`));
}

function seal({ secrets, caller, key }: KeyedRequest, response: StoredResponse): string {
  return secrets.seal(encryptionPurpose, JSON.stringify(response), `${caller} ${key}`);
}

/** The response may also depend on the kind and the scopes of the token. */
function tokenScope({ session: { kind, scopes } }: Caller): string {
  return `${kind} ${scopes ? [...scopes].sort().join(' ') : ''}`;
}
