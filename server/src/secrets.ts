import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { Secrets } from '@chowk/kit';

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

interface Key {
  readonly id: string;
  readonly key: Buffer;
}

/**
 * Encrypts and signs with keys derived from the key of the installation, one for each purpose. What is sealed names the
 * key it was sealed with, so that what an earlier key has sealed can still be read.
 */
export class SecretBox implements Secrets {
  readonly #first: Key;
  readonly #keys: readonly Key[];
  readonly #derived = new Map<string, Buffer>();

  /** The first key seals and signs; the others only open. */
  constructor(first: Buffer, ...others: readonly Buffer[]) {
    this.#first = named(first);
    this.#keys = [this.#first, ...others.map(named)];
  }

  seal(purpose: string, text: string, context = ''): string {
    const iv = randomBytes(ivBytes);
    const encryption = createCipheriv(cipher, this.#derive(purpose), iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([iv, encryption.update(text, 'utf8'), encryption.final(), encryption.getAuthTag()]);
    return `v1.${this.#first.id}.${sealed.toString('base64url')}`;
  }

  open(purpose: string, sealed: string, context = ''): string {
    const [version, id, payload = ''] = sealed.split('.');
    const known = this.#keys.find((one) => one.id === id);
    if (version !== 'v1' || !known) throw new Error('sealed with a key that is not here; is APP_KEY the one it was?');
    const bytes = Buffer.from(payload, 'base64url');
    if (bytes.length < ivBytes + tagBytes) throw new Error('what was sealed is cut short');
    const decryption = createDecipheriv(cipher, this.#derive(purpose, known), bytes.subarray(0, ivBytes))
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(-tagBytes));
    return decryption.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decryption.final('utf8');
  }

  sign(purpose: string, text: string): string {
    return createHmac('sha256', this.#derive(purpose)).update(text).digest('base64url');
  }

  isSignature(purpose: string, text: string, signature: string): boolean {
    return this.#keys.some((key) => {
      const right = createHmac('sha256', this.#derive(purpose, key)).update(text).digest();
      const given = Buffer.from(signature, 'base64url');
      return (
        given.length === right.length && timingSafeEqual(given, right) && given.toString('base64url') === signature
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

function named(key: Buffer): Key {
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key };
}
