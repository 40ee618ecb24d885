import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** What stands before the 32 bytes of an Ed25519 key in DER (RFC 8410). */
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Reads an Ed25519 private key: PEM, or its 32 bytes in base64. */
export async function readPrivateKey(file: string): Promise<KeyObject> {
  const text = (
    await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new Error(`the key ${file} cannot be read (${error.code})`);
    })
  ).trim();
  try {
    const key = text.startsWith('-----')
      ? createPrivateKey(text)
      : createPrivateKey({ key: Buffer.concat([privatePrefix, rawKey(text)]), format: 'der', type: 'pkcs8' });
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The same message: that of OpenSSL may contain a part of the key.
  }
  throw new Error(`${file} is not an Ed25519 private key; 'openssl genpkey -algorithm ed25519' creates one`);
}

function rawKey(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 32) throw new Error('an Ed25519 key has 32 bytes');
  return bytes;
}

/** The signature of a package, in base64. */
export function signPackage(bytes: Buffer, key: KeyObject): string {
  return sign(null, bytes, key).toString('base64');
}

/** Whether one of the public keys, each 32 bytes in base64, made the signature. */
export function isSignedBy(bytes: Buffer, signature: string, keys: readonly string[]): boolean {
  const made = Buffer.from(signature.trim(), 'base64');
  return keys.some((key) => verify(null, bytes, publicKey(key), made));
}

function publicKey(base64: string): KeyObject {
  return createPublicKey({
    key: Buffer.concat([publicPrefix, Buffer.from(base64, 'base64')]),
    format: 'der',
    type: 'spki',
  });
}
