import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SecretBox } from './secrets.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const box = new SecretBox(newKey);

test('what was sealed is opened again, and sealed anew looks different', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.string(), (text, purpose, context) => {
      const well = text.toWellFormed();
      const sealed = box.seal(purpose, well, context);
      expect(box.open(purpose, sealed, context)).toBe(well);
      expect(box.seal(purpose, well, context)).not.toBe(sealed);
    }),
  );
});

test('sealed for one purpose or context, it opens for no other', () => {
  const sealed = box.seal('mail', 'secret', 'tenant a');
  expect(() => box.open('token', sealed, 'tenant a')).toThrow();
  expect(() => box.open('mail', sealed, 'tenant b')).toThrow();
  expect(() => box.open('mail', sealed)).toThrow();
});

test('a change anywhere in it is noticed', () => {
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

test('after a change of keys the old ones still open, and nothing is sealed with them', () => {
  const before = new SecretBox(oldKey);
  const sealed = before.seal('mail', 'secret');
  const after = new SecretBox(newKey, oldKey);
  expect(after.open('mail', sealed)).toBe('secret');
  expect(box.open('mail', after.seal('mail', 'new'))).toBe('new');
  expect(() => box.open('mail', sealed)).toThrow(/APP_KEY/);
});

test('a signature is good for one text and one purpose, in one spelling', () => {
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
  for (const [purpose, text, given] of others) expect(box.isSignature(purpose, text, given)).toBe(false);
});
