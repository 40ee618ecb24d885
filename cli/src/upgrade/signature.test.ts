import { expect, test } from 'vitest';
import { signedText as serverText, signingKey, signRelease } from '../../../modules/releases/signature.ts';
import { publicKey } from '../../release/keys.ts';
import { archive, asset, release, releaseKey, strangeKey } from '../../testing/release-files.ts';
import type { Release } from './manifest.ts';
import { keyId, requireSignature, signedText } from './signature.ts';

const content = archive('1.1.0');
const two = release('1.1.0', content, {
  assets: [asset('1.1.0', content, { os: 'windows' }), { ...asset('1.1.0', content), size: undefined }],
}) as Release;
const keys = [releaseKey, strangeKey].map((key) => publicKey(key).toString('base64')) as [string, string];

test('the platform and the program sign the same text and name keys alike', () => {
  expect(signedText(two)).toBe(serverText(two as Parameters<typeof serverText>[0]));
  expect(signingKey(releaseKey)).toMatchObject({ id: keyId(publicKey(releaseKey)), publicKey: keys[0] });
});

test('a release that the platform signs with an old and a new key is valid for programs with either', () => {
  const both = signRelease(
    two as Parameters<typeof signRelease>[0],
    [releaseKey, strangeKey].map(signingKey),
  ) as Release;
  for (const key of keys) expect(requireSignature(both, { keys: [key], allowUnsigned: false })).toBe(true);
  expect(requireSignature(both, { keys, allowUnsigned: false })).toBe(true);
  expect(() => requireSignature(both, { keys: [], allowUnsigned: false })).toThrow('does not know');
  expect(requireSignature(both, { keys: [], allowUnsigned: true })).toBe(false);
});
