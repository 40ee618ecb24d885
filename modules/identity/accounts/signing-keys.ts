import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GuardedCache, type MaybePromise, type SystemServices, sql, whenReady } from '@chowk/kit';
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose';

interface KeyRow {
  kid: string;
  public_jwk: JWK;
  private_sealed: string;
  retired: boolean;
  trusted_until: string | null;
}

/** The public half of a signing key, as a JWK. */
export type PublicKey = Readonly<Record<string, unknown>> & { readonly kid: string };

interface Keys {
  readonly trusted: ReadonlyMap<string, KeyObject>;
  readonly published: readonly PublicKey[];
  readonly current: { readonly kid: string; readonly key: KeyObject } | undefined;
  /** When the first of them ceases to be trusted, in milliseconds since 1970. */
  readonly validUntil: number;
}

type Services = Pick<SystemServices, 'central' | 'signals' | 'secrets' | 'storagePath'>;

const purpose = 'signing key';
const cacheKey = '';
const generate = promisify(generateKeyPair);
/** How long a retired key stays trusted: the lifetime of an access token and a margin for differing clocks. */
const retiredKeyLifetime = '1 hour';

/**
 * The RSA keys that sign access tokens. The central database holds them, private halves encrypted, so that all
 * processes of all rings share them; the current pair is also written to the storage folder.
 */
export class SigningKeys {
  readonly #services: Services;
  readonly #cache: GuardedCache<Keys>;

  constructor(services: Services) {
    this.#services = services;
    this.#cache = new GuardedCache({ max: 1, load: () => this.#load() });
    void services.signals.listen('chowk_keys', {
      onNotify: () => this.#cache.invalidate(cacheKey),
      onConnectionChange: (isConnected) => this.#cache.trust(isConnected),
    });
  }

  /** The trusted keys. Before the installation there are none. */
  get(): MaybePromise<Keys | undefined> {
    return whenReady(this.#cache.get(cacheKey), (keys) => {
      if (!keys || keys.validUntil > Date.now()) return keys;
      // No notification is sent when a retired key expires.
      this.#cache.invalidate(cacheKey);
      return this.#cache.get(cacheKey);
    });
  }

  async list(): Promise<readonly PublicKey[]> {
    return (await this.get())?.published ?? [];
  }

  /** Adds the first key: the one in the storage folder or a new one. */
  async ensure(): Promise<{ created: boolean }> {
    const current = (await this.#load()).current;
    if (current) {
      await this.#writeFiles(current.key);
      return { created: false };
    }
    const stored = await this.#readFile();
    await this.#add(stored ?? (await createKey()));
    return { created: !stored };
  }

  /** Signs with a new key from now on. The old keys stay trusted until their last token expires, unless revoked. */
  async rotate({ revoke }: { revoke: boolean }): Promise<{ kid: string }> {
    return { kid: await this.#add(await createKey(), revoke) };
  }

  async #add(key: KeyObject, revoke = false): Promise<string> {
    const { central, secrets } = this.#services;
    const jwk = await publicJwk(key);
    const pem = key.export({ type: 'pkcs8', format: 'pem' }) as string;
    await central.tx(async (tx) => {
      await tx.run(sql`
        UPDATE signing_keys SET retired_at = coalesce(retired_at, now()),
          trusted_until = CASE WHEN ${revoke} THEN now() ELSE coalesce(trusted_until, now() + ${retiredKeyLifetime}::interval) END
        WHERE kid <> ${jwk.kid}`);
      await tx.run(sql`
        INSERT INTO signing_keys (kid, public_jwk, private_sealed)
        VALUES (${jwk.kid}, ${JSON.stringify(jwk)}, ${secrets.seal(purpose, pem, jwk.kid)})
        ON CONFLICT (kid) DO UPDATE SET retired_at = NULL, trusted_until = NULL`);
    });
    this.#cache.invalidate(cacheKey);
    await this.#writeFiles(key);
    return jwk.kid;
  }

  async #load(): Promise<Keys> {
    const rows = await this.#services.central.rows<KeyRow>(sql`
      SELECT kid, public_jwk, private_sealed, retired_at IS NOT NULL AS retired, trusted_until FROM signing_keys
      WHERE trusted_until IS NULL OR trusted_until > now() ORDER BY created_at DESC`);
    const active = rows.find(({ retired }) => !retired);
    return {
      trusted: new Map(
        rows.map(({ kid, public_jwk }) => [kid, createPublicKey({ key: public_jwk as never, format: 'jwk' })]),
      ),
      published: rows.map(({ public_jwk }) => public_jwk as unknown as PublicKey),
      current: active && { kid: active.kid, key: await this.#privateKey(active) },
      validUntil: Math.min(
        ...rows.map(({ trusted_until: until }) => (until ? Date.parse(until) : Number.POSITIVE_INFINITY)),
      ),
    };
  }

  /** Falls back to the file in the storage folder if the key was encrypted with another APP_KEY. */
  async #privateKey({ kid, private_sealed }: KeyRow): Promise<KeyObject> {
    try {
      return createPrivateKey(this.#services.secrets.open(purpose, private_sealed, kid));
    } catch (error) {
      const stored = await this.#readFile();
      if (stored && (await publicJwk(stored)).kid === kid) return stored;
      throw error;
    }
  }

  async #readFile(): Promise<KeyObject | undefined> {
    const pem = await readFile(join(this.#services.storagePath, 'oauth-private.key'), 'utf8').catch(() => undefined);
    if (pem === undefined) return undefined;
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType !== 'rsa') throw new Error('oauth-private.key under STORAGE_PATH is not an RSA key');
    return key;
  }

  async #writeFiles(key: KeyObject): Promise<void> {
    const folder = this.#services.storagePath;
    await replaceFile(join(folder, 'oauth-private.key'), key.export({ type: 'pkcs8', format: 'pem' }) as string, 0o600);
    const pem = createPublicKey(key).export({ type: 'spki', format: 'pem' }) as string;
    await replaceFile(join(folder, 'oauth-public.key'), pem, 0o644);
  }
}

async function createKey(): Promise<KeyObject> {
  return (await generate('rsa', { modulusLength: 2048 })).privateKey;
}

async function publicJwk(key: KeyObject): Promise<JWK & { kid: string }> {
  const jwk = await exportJWK(createPublicKey(key));
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), use: 'sig', alg: 'RS256' };
}

/** Replaces the file atomically. */
async function replaceFile(file: string, content: string, mode: number): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, content, { mode });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
