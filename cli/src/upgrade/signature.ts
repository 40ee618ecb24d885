import { createHash, createPublicKey, verify } from 'node:crypto';
import type { Release } from './manifest.ts';

/** How the signatures of a release compare with the keys that this program was built with. */
export type SignatureState = 'valid' | 'invalid' | 'unknown_key' | 'unsigned';

export function checkSignatures(release: Release, publicKeys: readonly string[]): SignatureState {
  if (release.signatures.length === 0) return 'unsigned';
  const keys = new Map(publicKeys.map((key) => [keyId(Buffer.from(key, 'base64')), key]));
  const ours = release.signatures.filter(({ key }) => keys.has(key));
  if (ours.length === 0) return 'unknown_key';
  const text = Buffer.from(signedText(release));
  const isValid = ours.every(({ key, signature }) =>
    verify(null, text, publicKey(keys.get(key) as string), Buffer.from(signature, 'base64')),
  );
  return isValid ? 'valid' : 'invalid';
}

/** What a signature covers: version, time and files, not their addresses. */
export function signedText({ version, released_at, assets }: Pick<Release, 'version' | 'released_at' | 'assets'>): string {
  const lines = assets.map(
    ({ os, arch, filename, size, sha256 }) => `${os} ${arch} ${filename} ${size ?? ''} ${sha256 ?? ''}`,
  );
  return ['chowk release 1', version, released_at, ...lines.sort(), ''].join('\n');
}

export function keyId(publicKey: Buffer): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
}

function publicKey(base64: string) {
  const x = Buffer.from(base64, 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
