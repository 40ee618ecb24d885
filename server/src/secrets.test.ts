import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SecretBox } from './secrets.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const box = new SecretBox(newKey);

test('sealed text can be opened, and sealing it again gives another result', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.string(), (text, purpose, context) => {
      const wellFormed = text.toWellFormed();
      const sealed = box.seal(purpose, wellFormed, context);
      expect(box.open(purpose, sealed, context)).toBe(wellFormed);
      expect(box.seal(purpose, wellFormed, context)).not.toBe(sealed);
    }),
  );
});

test('text sealed for one purpose and context cannot be opened for another', () => {
  const sealed = box.seal('mail', 'secret', 'tenant a');
  expect(() => box.open('token', sealed, 'tenant a')).toThrow();
  expect(() => box.open('mail', sealed, 'tenant b')).toThrow();
  expect(() => box.open('mail', sealed)).toThrow();
});

test('sealed text with any change cannot be opened', () => {
  const sealed = box.seal('mail', 'a secret of some length', 'x');
  const bytes = Buffer.from(sealed.split('.')[2] ?? '', 'base64url');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] as number) ^ 1;
    const [version, id] = sealed.split('.');
    expect(() => box.open('mail', `${version}.${id}.${changed.toString('base64url')}`, 'x')).toThrow();
  }
  for (const wrong of ['', 'v1', 'v1.x.y', sealed.slice(0, 20), sealed.replace('v1', 'v2')]) {
    expect(() => box.open('mail', wrong, 'x')).toThrow();
  }
});

test('after a key rotation the previous key opens but does not seal', () => {
  const before = new SecretBox(oldKey);
  const sealed = before.seal('mail', 'secret');
  const after = new SecretBox(newKey, oldKey);
  expect(after.open('mail', sealed)).toBe('secret');
  expect(box.open('mail', after.seal('mail', 'new'))).toBe('new');
  expect(() => box.open('mail', sealed)).toThrow(/APP_KEY/);
});

test('a signature is valid for one text and one purpose, in one encoding', () => {
  const signature = box.sign('link', 'text');
  expect(box.isSignature('link', 'text', signature)).toBe(true);
  expect(new SecretBox(oldKey, newKey).isSignature('link', 'text', signature)).toBe(true);
  const others: [string, string, string][] = [
    ['link', 'texts', signature],
    ['mail', 'text', signature],
    ['link', 'text', `${signature}=`],
    ['link', 'text', signature.slice(0, -1)],
    ['link', 'text', ''],
    ['link', 'text', new SecretBox(oldKey).sign('link', 'text')],
  ];
  for (const [purpose, text, invalid] of others) expect(box.isSignature(purpose, text, invalid)).toBe(false);
});
