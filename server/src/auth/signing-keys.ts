import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Db, type PublicKey, type Secrets, sql } from '@chowk/kit';
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose';
import { GuardedCache } from '../cache.ts';
import type { Signals } from '../db/signals.ts';
import { andThen, type MaybePromise } from '../maybe-promise.ts';

interface KeyRow {
  kid: string;
  public_jwk: JWK;
  private_sealed: string;
  retired: boolean;
  believed_until: string | null;
}

/** The keys there are now. */
interface Keys {
  readonly believed: ReadonlyMap<string, KeyObject>;
  readonly published: readonly PublicKey[];
  readonly current: { readonly kid: string; readonly key: KeyObject } | undefined;
  /** When the first of them ceases to be believed, in milliseconds since 1970. */
  readonly until: number;
}

interface KeyParts {
  readonly central: Db;
  readonly signals: Signals;
  readonly secrets: Secrets;
  readonly storagePath: string;
}

const purpose = 'signing key';
const all = '';
const generate = promisify(generateKeyPair);
/** Longer than any access token lives, clocks that differ included. */
const overlap = '1 hour';

/**
 * The RSA keys that sign access tokens. The central database holds all of them, private halves sealed, so that every
 * process of every ring signs and believes the same; the current pair also lies under the storage folder.
 */
export class SigningKeys {
  readonly #parts: KeyParts;
  readonly #cache: GuardedCache<Keys>;

  constructor(parts: KeyParts) {
    this.#parts = parts;
    this.#cache = new GuardedCache({ max: 1, load: () => this.#load() });
    void parts.signals.listen('chowk_keys', {
      onNotify: () => this.#cache.invalidate(all),
      onConnectionChange: (ok) => this.#cache.trust(ok),
    });
  }

  /** The keys there are; before the installation there are none. */
  get(): MaybePromise<Keys | undefined> {
    return andThen(this.#cache.get(all), (keys) => {
      if (!keys || keys.until > Date.now()) return keys;
      // Nobody tells when a retired key's time is over.
      this.#cache.invalidate(all);
      return this.#cache.get(all);
    });
  }

  async list(): Promise<readonly PublicKey[]> {
    return (await this.get())?.published ?? [];
  }

  /** Makes the first key, or takes the one that lies under the storage folder. */
  async ensure(): Promise<{ created: boolean }> {
    const current = (await this.#load()).current;
    if (current) {
      await this.#writeFiles(current.key);
      return { created: false };
    }
    const found = await this.#readFile();
    await this.#add(found ?? (await newKey()));
    return { created: !found };
  }

  async rotate({ revoke }: { revoke: boolean }): Promise<{ kid: string }> {
    return { kid: await this.#add(await newKey(), revoke) };
  }

  async #add(key: KeyObject, revoke = false): Promise<string> {
    const { central, secrets } = this.#parts;
    const jwk = await publicJwk(key);
    const pem = key.export({ type: 'pkcs8', format: 'pem' }) as string;
    await central.tx(async (tx) => {
      await tx.run(sql`
        UPDATE signing_keys SET retired_at = coalesce(retired_at, now()),
          believed_until = CASE WHEN ${revoke} THEN now() ELSE coalesce(believed_until, now() + ${overlap}::interval) END
        WHERE kid <> ${jwk.kid}`);
      await tx.run(sql`
        INSERT INTO signing_keys (kid, public_jwk, private_sealed)
        VALUES (${jwk.kid}, ${JSON.stringify(jwk)}, ${secrets.seal(purpose, pem, jwk.kid)})
        ON CONFLICT (kid) DO UPDATE SET retired_at = NULL, believed_until = NULL`);
    });
    this.#cache.invalidate(all);
    await this.#writeFiles(key);
    return jwk.kid;
  }

  async #load(): Promise<Keys> {
    const rows = await this.#parts.central.rows<KeyRow>(sql`
      SELECT kid, public_jwk, private_sealed, retired_at IS NOT NULL AS retired, believed_until FROM signing_keys
      WHERE believed_until IS NULL OR believed_until > now() ORDER BY created_at DESC`);
    const active = rows.find(({ retired }) => !retired);
    return {
      believed: new Map(
        rows.map(({ kid, public_jwk }) => [kid, createPublicKey({ key: public_jwk as never, format: 'jwk' })]),
      ),
      published: rows.map(({ public_jwk }) => public_jwk as unknown as PublicKey),
      current: active && { kid: active.kid, key: await this.#privateKey(active) },
      until: Math.min(
        ...rows.map(({ believed_until: until }) => (until ? Date.parse(until) : Number.POSITIVE_INFINITY)),
      ),
    };
  }

  /** Sealed with a key of the installation that is not here, it may still lie under the storage folder. */
  async #privateKey({ kid, private_sealed }: KeyRow): Promise<KeyObject> {
    try {
      return createPrivateKey(this.#parts.secrets.open(purpose, private_sealed, kid));
    } catch (error) {
      const found = await this.#readFile();
      if (found && (await publicJwk(found)).kid === kid) return found;
      throw error;
    }
  }

  async #readFile(): Promise<KeyObject | undefined> {
    const pem = await readFile(join(this.#parts.storagePath, 'oauth-private.key'), 'utf8').catch(() => undefined);
    if (pem === undefined) return undefined;
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType !== 'rsa') throw new Error('oauth-private.key under STORAGE_PATH is no RSA key');
    return key;
  }

  async #writeFiles(key: KeyObject): Promise<void> {
    const folder = this.#parts.storagePath;
    await writeWhole(join(folder, 'oauth-private.key'), key.export({ type: 'pkcs8', format: 'pem' }) as string, 0o600);
    const pem = createPublicKey(key).export({ type: 'spki', format: 'pem' }) as string;
    await writeWhole(join(folder, 'oauth-public.key'), pem, 0o644);
  }
}

async function newKey(): Promise<KeyObject> {
  return (await generate('rsa', { modulusLength: 2048 })).privateKey;
}

async function publicJwk(key: KeyObject): Promise<JWK & { kid: string }> {
  const jwk = await exportJWK(createPublicKey(key));
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), use: 'sig', alg: 'RS256' };
}

/** Who reads it meanwhile sees the old one or the new one. */
async function writeWhole(file: string, content: string, mode: number): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, content, { mode });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
