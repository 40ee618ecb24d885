import { createHash } from 'node:crypto';
import type { Caller } from '@chowk/kit';
import { type Db, type Secrets, sql } from '@chowk/kit';
import { fail, invalid } from '../errors.ts';
import type { Exchange, IdempotencyClaim } from './exchange.ts';

/** Stored bodies are encrypted: one may contain tokens. */
const encryptionPurpose = 'idempotency';

interface StoredResponse {
  request_hash: string;
  status: number | null;
  content_type: string | null;
  body: string | null;
}

/**
 * A POST with an `Idempotency-Key` runs once: its first successful response is stored for 24 hours and replayed for
 * repeated requests. A request that ends without a response blocks its key for one minute.
 */
export async function claimIdempotencyKey(exchange: Exchange): Promise<void> {
  const { method, headers } = exchange.request;
  const key = headers['idempotency-key'];
  // An anonymous caller cannot prove that a stored response belongs to it.
  if (key !== undefined && method === 'POST' && exchange.caller) await claimKey(exchange, exchange.caller, key);
}

async function claimKey(exchange: Exchange, user: Caller, key: string | string[]): Promise<void> {
  const { request, tenant, kernel } = exchange;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid({ 'Idempotency-Key': 'The Idempotency-Key must have 1 to 255 visible ASCII characters.' });
  }
  const db = tenant?.db ?? kernel.central.db;
  const caller = `user ${user.id}`;
  const scope = tokenScope(user);
  const hash = createHash('sha256')
    .update(`${request.method} ${request.url}\n${scope}\n${exchange.rawBody ?? ''}`)
    .digest('hex');
  if (await insertClaim(db, caller, key, hash)) {
    exchange.idempotency = { db, caller, key };
    return;
  }
  const stored = await findResponse(db, caller, key);
  if (stored && stored.request_hash !== hash) throw fail('http.idempotency_mismatch');
  if (!stored || stored.status === null) throw fail('http.idempotency_busy');
  const body = stored.body && kernel.secrets.open(encryptionPurpose, stored.body, `${caller} ${key}`);
  replay(exchange, { ...stored, body });
}

/**
 * Stores the response before it is sent. Only a success is stored: after an error the client may retry with the same key.
 * A response that another request has stored under the key meanwhile is kept.
 */
export async function storeResponse(
  secrets: Secrets,
  { db, caller, key }: IdempotencyClaim,
  response: { status: number; contentType: string; body: string },
) {
  if (response.status >= 300) {
    await db.run(sql`DELETE FROM idempotency_keys WHERE caller = ${caller} AND key = ${key} AND status IS NULL`);
    return;
  }
  const body = response.body && secrets.seal(encryptionPurpose, response.body, `${caller} ${key}`);
  await db.run(sql`
    WITH swept AS (
      DELETE FROM idempotency_keys WHERE (caller, key) IN (
        SELECT caller, key FROM idempotency_keys WHERE expires_at < now() LIMIT 20 FOR UPDATE SKIP LOCKED))
    UPDATE idempotency_keys SET status = ${response.status}, content_type = ${response.contentType}, body = ${body}
    WHERE caller = ${caller} AND key = ${key} AND status IS NULL`);
}

async function insertClaim(db: Db, caller: string, key: string, hash: string): Promise<boolean> {
  const claimed = await db.run(sql`
    INSERT INTO idempotency_keys AS known (caller, key, request_hash, locked_until, expires_at)
    VALUES (${caller}, ${key}, ${hash}, now() + interval '1 minute', now() + interval '24 hours')
    ON CONFLICT (caller, key) DO UPDATE SET request_hash = excluded.request_hash, status = NULL, body = NULL,
      locked_until = excluded.locked_until, expires_at = excluded.expires_at
    WHERE known.expires_at < now()
      OR (known.status IS NULL AND known.locked_until < now() AND known.request_hash = excluded.request_hash)`);
  return claimed === 1;
}

function findResponse(db: Db, caller: string, key: string): Promise<StoredResponse | undefined> {
  return db.row<StoredResponse>(sql`
    SELECT request_hash, status, content_type, body FROM idempotency_keys
    WHERE caller = ${caller} AND key = ${key}`);
}

/** The response may also depend on the kind and the scopes of the token. */
function tokenScope({ session: { kind, scopes } }: Caller): string {
  return `${kind} ${scopes ? [...scopes].sort().join(' ') : ''}`;
}

function replay(exchange: Exchange, { status, content_type, body }: StoredResponse): void {
  exchange.isAnswered = true;
  const reply = exchange.reply.status(status ?? 200).header('Idempotency-Replayed', 'true');
  if (content_type) reply.type(content_type);
  reply.send(body || undefined);
}
