import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { BackupError } from './backup-error.ts';

const deriveKey = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scrypt,
);
const cipher = 'aes-256-gcm';
const mark = Buffer.from('CHOWKB1\n');
const [saltBytes, tagBytes, chunkBytes] = [32, 16, 65_536];

/** The key of a backup place: from the passphrase of the operator and the salt that the place keeps. */
export function deriveBackupKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  return deriveKey(passphrase, salt, 32, { N: 65_536, r: 8, p: 1, maxmem: 128 * 1_048_576 });
}

/** Names content without revealing what it is. */
export function nameContent(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
}

/** The size of encrypted content of this size. */
export function encryptedSize(size: number): number {
  return mark.length + saltBytes + size + tagBytes * Math.max(1, Math.ceil(size / chunkBytes));
}

/** The size of the content of an encrypted object. */
export function decryptedSize(size: number): number {
  const body = size - mark.length - saltBytes;
  return body - tagBytes * Math.ceil(body / (chunkBytes + tagBytes));
}

/**
 * Encrypts in chunks, so that memory stays flat. The nonce counts the chunks and marks the last one, so that none can be left
 * out, repeated or moved; the name is authenticated, so that one object cannot take the place of another.
 */
export async function* encrypt(key: Buffer, name: string, content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const salt = randomBytes(saltBytes);
  const objectKey = keyOf(key, salt);
  yield Buffer.concat([mark, salt]);
  for await (const { chunk, number, isLast } of inChunks(content, chunkBytes)) {
    const encryption = createCipheriv(cipher, objectKey, nonce(number, isLast)).setAAD(Buffer.from(name));
    yield Buffer.concat([encryption.update(chunk), encryption.final(), encryption.getAuthTag()]);
  }
}

/** Yields only what is authentic. Throws a `BackupError` for content that was changed, truncated or encrypted with another key. */
export async function* decrypt(key: Buffer, name: string, content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const iterator = content[Symbol.asyncIterator]();
  try {
    const { head, rest } = await readHead(iterator, mark.length + saltBytes);
    if (!head.subarray(0, mark.length).equals(mark)) throw new BackupError(`${name} is damaged`);
    const objectKey = keyOf(key, head.subarray(mark.length));
    const remaining = { [Symbol.asyncIterator]: () => startWith(rest, iterator) };
    for await (const { chunk, number, isLast } of inChunks(remaining, chunkBytes + tagBytes)) {
      yield decryptChunk(objectKey, name, { chunk, number, isLast });
    }
  } finally {
    await iterator.return?.();
  }
}

interface Chunk {
  readonly chunk: Buffer;
  readonly number: number;
  readonly isLast: boolean;
}

function decryptChunk(key: Buffer, name: string, { chunk, number, isLast }: Chunk): Buffer {
  if (chunk.length < tagBytes) throw new BackupError(`${name} is truncated`);
  const decryption = createDecipheriv(cipher, key, nonce(number, isLast))
    .setAAD(Buffer.from(name))
    .setAuthTag(chunk.subarray(-tagBytes));
  try {
    return Buffer.concat([decryption.update(chunk.subarray(0, -tagBytes)), decryption.final()]);
  } catch {
    throw new BackupError(`${name} is damaged, or was encrypted with another key`);
  }
}

function keyOf(key: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, 'chowk backup object', 32));
}

function nonce(number: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUIntBE(number, 5, 6);
  bytes[11] = isLast ? 1 : 0;
  return bytes;
}

/** Chunks of one size, the last one excepted. There is always a last one, which may be empty. */
async function* inChunks(content: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Chunk> {
  let [rest, number] = [Buffer.alloc(0), 0];
  for await (const part of content) {
    const bytes =
      rest.length === 0 ? Buffer.from(part.buffer, part.byteOffset, part.length) : Buffer.concat([rest, part]);
    let at = 0;
    // The last chunk is known only at the end, so a full one waits for the next byte.
    for (; bytes.length - at > size; at += size) {
      yield { chunk: bytes.subarray(at, at + size), number, isLast: false };
      number += 1;
    }
    rest = Buffer.from(bytes.subarray(at));
  }
  yield { chunk: rest, number, isLast: true };
}

async function readHead(iterator: AsyncIterator<Uint8Array>, size: number): Promise<{ head: Buffer; rest: Buffer }> {
  let bytes = Buffer.alloc(0);
  while (bytes.length < size) {
    const { done, value } = await iterator.next();
    if (done) break;
    bytes = Buffer.concat([bytes, value]);
  }
  return { head: bytes.subarray(0, size), rest: bytes.subarray(size) };
}

async function* startWith(first: Buffer, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
}
