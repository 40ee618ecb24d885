import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decrypt, decryptedSize, deriveBackupKey, encrypt, encryptedSize } from './encryption.ts';

const key = randomBytes(32);
const chunk = 65_536;

async function* parts(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

const seal = (content: Buffer, name = 'a', size = 10_000) => buffer(encrypt(key, name, parts(content, size)));
const open = (sealed: Buffer, name = 'a', own = key) => buffer(decrypt(own, name, parts(sealed, 7_919)));

test.each([0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk])('%i bytes are decrypted as they were', async (size) => {
  const content = randomBytes(size);
  const sealed = await seal(content);
  expect(sealed.length).toBe(encryptedSize(size));
  expect(decryptedSize(sealed.length)).toBe(size);
  expect((await open(sealed)).equals(content)).toBe(true);
});

test('no changed, cut or extended content is decrypted as a whole', async () => {
  const content = randomBytes(2 * chunk + 100);
  const sealed = await seal(content);
  const damage = fc.oneof(
    fc.nat(sealed.length - 1).map((at) => {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] as number) ^ 1;
      return changed;
    }),
    fc.nat(sealed.length - 1).map((length) => sealed.subarray(0, length)),
    fc.integer({ min: 1, max: 200 }).map((length) => Buffer.concat([sealed, Buffer.alloc(length)])),
  );
  await fc.assert(
    fc.asyncProperty(damage, async (damaged) => {
      await expect(open(damaged)).rejects.toThrow(/is damaged|is truncated/);
    }),
    { numRuns: 200 },
  );
});

test('chunks cannot be swapped, and an object cannot take the place of another', async () => {
  const sealed = await seal(randomBytes(3 * chunk));
  const [head, body] = [sealed.subarray(0, 40), sealed.subarray(40)];
  const size = chunk + 16;
  const swapped = [head, body.subarray(size, 2 * size), body.subarray(0, size), body.subarray(2 * size)];
  await expect(open(Buffer.concat(swapped))).rejects.toThrow('is damaged');
  await expect(open(Buffer.concat([head, body.subarray(0, 2 * size)]))).rejects.toThrow('is damaged');
  await expect(open(sealed, 'b')).rejects.toThrow('is damaged');
  await expect(open(sealed, 'a', randomBytes(32))).rejects.toThrow('encrypted with another key');
});

test('the key depends on the passphrase and the salt', async () => {
  const salt = Buffer.alloc(32);
  const [one, again, other, salted] = await Promise.all([
    deriveBackupKey('one', salt),
    deriveBackupKey('one', salt),
    deriveBackupKey('other', salt),
    deriveBackupKey('one', Buffer.alloc(32, 1)),
  ]);
  expect(again).toEqual(one);
  expect(new Set([one, other, salted].map((bytes) => bytes.toString('hex'))).size).toBe(3);
});
