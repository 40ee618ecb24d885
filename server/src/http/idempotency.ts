import { createHash } from 'node:crypto';
import type { Caller, MaybePromise } from '@chowk/kit';
import { type Db, type Secrets, sql } from '@chowk/kit';
import { fail, invalid } from '../errors.ts';
import type { Exchange, IdempotencyClaim } from './exchange.ts';

/** Answers are kept sealed: one may hold tokens. */
const sealedFor = 'idempotency';

interface StoredAnswer {
  request_hash: string;
  status: number | null;
  content_type: string | null;
  body: string | null;
}

/**
 * A POST with an `Idempotency-Key` happens once: its first answer is kept for a day and given again to whoever repeats
 * it. A request that died without an answer holds its key for a minute.
 */
export function claimIdempotencyKey(exchange: Exchange): MaybePromise<void> {
  const { method, headers } = exchange.request;
  const key = headers['idempotency-key'];
  // A caller that nobody knows cannot prove that the answer is its own.
  return key === undefined || method !== 'POST' || !exchange.caller
    ? undefined
    : claimKey(exchange, exchange.caller, key);
}

async function claimKey(exchange: Exchange, user: Caller, key: string | string[]): Promise<void> {
  const { request, tenant, kernel } = exchange;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid({ 'Idempotency-Key': 'The Idempotency-Key must have 1 to 255 visible ASCII characters.' });
  }
  const db = tenant?.db ?? kernel.central.db;
  const caller = `user ${user.id}`;
  const proof = proofOf(user);
  const hash = createHash('sha256')
    .update(`${request.method} ${request.url}\n${proof}\n${exchange.rawBody ?? ''}`)
    .digest('hex');
  if (await claim(db, caller, key, hash)) {
    exchange.idempotency = { db, caller, key };
    return;
  }
  const stored = await find(db, caller, key);
  if (stored && stored.request_hash !== hash) throw fail('http.idempotency_mismatch');
  if (!stored || stored.status === null) throw fail('http.idempotency_busy');
  const body = stored.body && kernel.secrets.open(sealedFor, stored.body, `${caller} ${key}`);
  replay(exchange, { ...stored, body });
}

/**
 * Keeps the answer before it is sent. Only a success is kept: whoever was refused may try again with the same key. A
 * request so slow that another took its key over and answered leaves that answer alone.
 */
export async function keepAnswer(
  secrets: Secrets,
  { db, caller, key }: IdempotencyClaim,
  answer: { status: number; contentType: string; body: string },
) {
  if (answer.status >= 300) {
    await db.run(sql`DELETE FROM idempotency_keys WHERE caller = ${caller} AND key = ${key} AND status IS NULL`);
    return;
  }
  const body = answer.body && secrets.seal(sealedFor, answer.body, `${caller} ${key}`);
  await db.run(sql`
    WITH swept AS (
      DELETE FROM idempotency_keys WHERE (caller, key) IN (
        SELECT caller, key FROM idempotency_keys WHERE expires_at < now() LIMIT 20 FOR UPDATE SKIP LOCKED))
    UPDATE idempotency_keys SET status = ${answer.status}, content_type = ${answer.contentType}, body = ${body}
    WHERE caller = ${caller} AND key = ${key} AND status IS NULL`);
}

async function claim(db: Db, caller: string, key: string, hash: string): Promise<boolean> {
  const claimed = await db.run(sql`
    INSERT INTO idempotency_keys AS known (caller, key, request_hash, locked_until, expires_at)
    VALUES (${caller}, ${key}, ${hash}, now() + interval '1 minute', now() + interval '24 hours')
    ON CONFLICT (caller, key) DO UPDATE SET request_hash = excluded.request_hash, status = NULL, body = NULL,
      locked_until = excluded.locked_until, expires_at = excluded.expires_at
    WHERE known.expires_at < now()
      OR (known.status IS NULL AND known.locked_until < now() AND known.request_hash = excluded.request_hash)`);
  return claimed === 1;
}

function find(db: Db, caller: string, key: string): Promise<StoredAnswer | undefined> {
  return db.row<StoredAnswer>(sql`
    SELECT request_hash, status, content_type, body FROM idempotency_keys
    WHERE caller = ${caller} AND key = ${key}`);
}

/** What else decides about the answer: what the token is limited to. */
function proofOf({ session: { kind, scopes } }: Caller): string {
  return `${kind} ${scopes ? [...scopes].sort().join(' ') : ''}`;
}

function replay(exchange: Exchange, { status, content_type, body }: StoredAnswer): void {
  exchange.answered = true;
  const reply = exchange.reply.status(status ?? 200).header('Idempotency-Replayed', 'true');
  if (content_type) reply.type(content_type);
  reply.send(body || undefined);
}
