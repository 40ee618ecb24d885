import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { Secrets } from '@chowk/kit/kernel';

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

interface Key {
  readonly id: string;
  readonly key: Buffer;
}

/**
 * Encrypts and signs with keys derived from the installation key, one per purpose. Sealed text contains the id of its
 * key, so that text sealed with a previous key can still be opened.
 */
export class SecretBox implements Secrets {
  readonly #first: Key;
  readonly #keys: readonly Key[];
  readonly #derived = new Map<string, Buffer>();

  /** The first key seals and signs; the others only open and verify. */
  constructor(first: Buffer, ...others: readonly Buffer[]) {
    this.#first = keyWithId(first);
    this.#keys = [this.#first, ...others.map(keyWithId)];
  }

  /** The ids of the keys, the one in use first. */
  get keyIds(): string[] {
    return this.#keys.map(({ id }) => id);
  }

  seal(purpose: string, text: string, context = ''): string {
    const iv = randomBytes(ivBytes);
    const encryption = createCipheriv(cipher, this.#derive(purpose), iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([iv, encryption.update(text, 'utf8'), encryption.final(), encryption.getAuthTag()]);
    return `v1.${this.#first.id}.${sealed.toString('base64url')}`;
  }

  open(purpose: string, sealed: string, context = ''): string {
    const [version, id, payload = ''] = sealed.split('.');
    const key = this.#keys.find((candidate) => candidate.id === id);
    if (version !== 'v1' || !key) throw new Error('sealed with an unknown key; check APP_KEY and APP_PREVIOUS_KEYS');
    const bytes = Buffer.from(payload, 'base64url');
    if (bytes.length < ivBytes + tagBytes) throw new Error('the sealed text is truncated');
    const decryption = createDecipheriv(cipher, this.#derive(purpose, key), bytes.subarray(0, ivBytes))
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(-tagBytes));
    return decryption.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decryption.final('utf8');
  }

  sign(purpose: string, text: string): string {
    return createHmac('sha256', this.#derive(purpose)).update(text).digest('base64url');
  }

  /** One for each key, the one in use first. */
  signAll(purpose: string, text: string): Buffer[] {
    return this.#keys.map((key) => createHmac('sha256', this.#derive(purpose, key)).update(text).digest());
  }

  isSignature(purpose: string, text: string, signature: string): boolean {
    return this.#keys.some((key) => {
      const expected = createHmac('sha256', this.#derive(purpose, key)).update(text).digest();
      const actual = Buffer.from(signature, 'base64url');
      return (
        actual.length === expected.length &&
        timingSafeEqual(actual, expected) &&
        actual.toString('base64url') === signature
      );
    });
  }

  #derive(purpose: string, { id, key } = this.#first): Buffer {
    const name = `${id} ${purpose}`;
    const derived = this.#derived.get(name) ?? Buffer.from(hkdfSync('sha256', key, '', `chowk ${purpose}`, 32));
    this.#derived.set(name, derived);
    return derived;
  }
}

function keyWithId(key: Buffer): Key {
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key };
}
