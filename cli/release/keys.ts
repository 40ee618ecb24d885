import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** An Ed25519 private key in PEM, as `chowkd releases:key --new` makes them. */
export async function readSigningKey(file: string): Promise<KeyObject> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`CHOWK_SIGNING_KEY: ${file} cannot be read (${error.code})`);
  });
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Reported below.
  }
  throw new Error(
    `CHOWK_SIGNING_KEY: ${file} is not an Ed25519 private key in PEM; 'chowkd releases:key --new' makes one`,
  );
}

/** The 32 bytes of the public key. */
export function publicKey(key: KeyObject): Buffer {
  return Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url');
}

/** Public keys in base64, separated by commas. */
export function readReleaseKeys(text: string): string[] {
  const keys = text.split(',').filter((key) => key !== '');
  for (const key of keys) {
    const bytes = Buffer.from(key, 'base64');
    if (bytes.length !== 32 || bytes.toString('base64') !== key) {
      throw new Error(
        `CHOWK_RELEASE_KEYS: ${key} is not an Ed25519 public key in base64; 'chowkd releases:key' lists them`,
      );
    }
  }
  return keys;
}
