import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { FileType, Upload } from '@chowk/kit/kernel';
import { type Excerpt, keptBytes } from './file-type.ts';

/** A received file on the disk, or the first bytes of one that is too large. */
export interface ReceivedContent {
  readonly handle: FileHandle;
  readonly size: number;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly excerpt: Excerpt;
}

/**
 * Writes the content to a file without a name: nothing is left of it when the handle is closed, even by a crash. Content
 * after `maxBytes` is read but not written.
 */
export async function receiveContent(content: Readable, folder: string, maxBytes: number): Promise<ReceivedContent> {
  const handle = await openNameless(folder);
  try {
    const hash = createHash('sha256');
    let size = 0;
    let head = Buffer.alloc(0);
    let last: Buffer[] = [];
    for await (const chunk of content as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) continue;
      hash.update(chunk);
      if (head.length < keptBytes.head) head = Buffer.concat([head, chunk]).subarray(0, keptBytes.head);
      last = lastChunks([...last, chunk]);
      await handle.write(chunk);
    }
    const tail = Buffer.concat(last).subarray(-keptBytes.tail);
    return { handle, size, sha256: hash.digest('hex'), excerpt: { head, tail } };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Without the chunks that are not needed for the tail. */
function lastChunks(chunks: readonly Buffer[]): Buffer[] {
  let length = 0;
  const first = chunks.findLastIndex((chunk) => {
    length += chunk.length;
    return length >= keptBytes.tail;
  });
  return chunks.slice(Math.max(0, first));
}

async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const path = join(folder, randomUUID());
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

/** An accepted file, open until `close`. */
export class ReceivedFile implements Upload {
  readonly field: string;
  readonly type: FileType;
  readonly size: number;
  readonly fileName: string;
  readonly #handle: FileHandle;

  constructor(
    { handle, size }: ReceivedContent,
    { field, type, fileName }: Pick<Upload, 'field' | 'type' | 'fileName'>,
  ) {
    this.#handle = handle;
    this.size = size;
    this.field = field;
    this.type = type;
    this.fileName = fileName;
  }

  stream(): Readable {
    return this.#handle.createReadStream({ start: 0, autoClose: false });
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** As the audit log records it. */
  toJSON(): object {
    return { type: this.type, size: this.size };
  }
}
