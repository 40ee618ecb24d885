import { createHash, createPublicKey, verify } from 'node:crypto';
import { ExitError, exitCodes } from '../exit.ts';
import type { Release } from './manifest.ts';

export interface Trust {
  /** Ed25519 public keys in base64. */
  readonly keys: readonly string[];
  /** The user accepts releases without a signature of these keys. */
  readonly allowUnsigned: boolean;
}

/** Refuses a release that none of the keys has signed. Returns whether one has. */
export function requireSignature(release: Release, { keys, allowUnsigned }: Trust): boolean {
  const byId = new Map(keys.map((key) => [keyId(Buffer.from(key, 'base64')), key]));
  const ours = release.signatures.filter(({ key }) => byId.has(key));
  const text = Buffer.from(signedText(release));
  const isValid = ours.every(({ key, signature }) =>
    verify(null, text, publicKey(byId.get(key) as string), Buffer.from(signature, 'base64')),
  );
  if (!isValid) throw refuse(release, 'has a wrong signature. Do not install it; tell the operator of the platform.');
  if (ours.length > 0 || allowUnsigned) return ours.length > 0;
  const problem =
    release.signatures.length === 0 ? 'is not signed' : 'is signed with a key that this program does not know';
  throw refuse(release, `${problem}. If you trust its source nevertheless, use --allow-unsigned.`);
}

function refuse({ version }: Release, problem: string): ExitError {
  return new ExitError(exitCodes.server, `The release ${version} ${problem}`);
}

/** What a signature covers: version, time and files, not their addresses. */
export function signedText({
  version,
  released_at,
  assets,
}: Pick<Release, 'version' | 'released_at' | 'assets'>): string {
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
