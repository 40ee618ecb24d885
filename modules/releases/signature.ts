import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { Release } from './manifest.ts';

/** A private key of the publisher, with the id of its public key. */
export interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  /** The 32 bytes of the public key, in base64: clients are built with it. */
  readonly publicKey: string;
}

export function signingKey(privateKey: KeyObject): SigningKey {
  const bytes = Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x ?? '', 'base64url');
  const id = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return { id, privateKey, publicKey: bytes.toString('base64') };
}

/** The release with the signatures of the keys instead of those that it has. */
export function signRelease(release: Release, keys: readonly SigningKey[]): Release {
  const text = Buffer.from(signedText(release));
  const signatures = keys.map(({ id, privateKey }) => ({
    key: id,
    signature: sign(null, text, privateKey).toString('base64'),
  }));
  return { ...release, signatures };
}

/** What a signature covers. Addresses are left out: this platform serves the files at its own. */
export function signedText({ version, released_at, assets }: Release): string {
  const lines = assets.map(
    ({ os, arch, filename, size, sha256 }) => `${os} ${arch} ${filename ?? ''} ${size ?? ''} ${sha256 ?? ''}`,
  );
  return ['chowk release 1', version, released_at, ...lines.sort(), ''].join('\n');
}
