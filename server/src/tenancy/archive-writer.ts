import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
import { centralHeader, endRecords, localHeader, type ZipEntry } from './archive-zip.ts';

const deflated = 8;
const regularFile = 0o100600;

/** Writes a ZIP file that appears under its name when it is complete. */
export class ArchiveWriter {
  readonly #path: string;
  readonly #draft: string;
  readonly #file: FileHandle;
  readonly #entries: ZipEntry[] = [];
  #length = 0;

  private constructor(path: string, draft: string, file: FileHandle) {
    this.#path = path;
    this.#draft = draft;
    this.#file = file;
  }

  /** Opens a draft beside the file. */
  static async open(path: string): Promise<ArchiveWriter> {
    const draft = `${path}.${randomBytes(4).toString('hex')}.partial`;
    return new ArchiveWriter(path, draft, await open(draft, 'wx', 0o600));
  }

  async add(name: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const offset = this.#length;
    const draft: ZipEntry = {
      name,
      method: deflated,
      crc: 0,
      size: 0,
      compressedSize: 0,
      offset,
      mode: regularFile,
    };
    // The sizes are known afterwards, and the header has the same length then.
    await this.#append(localHeader(draft));
    const start = this.#length;
    let [crc, size] = [0, 0];
    const measured = async function* () {
      for await (const chunk of content) {
        crc = crc32(chunk, crc);
        size += chunk.length;
        yield chunk;
      }
    };
    // An error of the content reaches the reader through the last stream.
    for await (const chunk of pipeline(measured, createDeflateRaw(), () => {})) {
      await this.#append(chunk);
    }
    const entry = { ...draft, crc, size, compressedSize: this.#length - start };
    const header = localHeader(entry);
    await this.#file.write(header, 0, header.length, offset);
    this.#entries.push(entry);
  }

  /** Fails if there is a file with the name by now. */
  async finish(): Promise<number> {
    const offset = this.#length;
    for (const entry of this.#entries) await this.#append(centralHeader(entry));
    await this.#append(endRecords({ count: this.#entries.length, size: this.#length - offset, offset }));
    await this.#file.sync();
    await this.#file.close();
    await link(this.#draft, this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error;
      // A file system without hard links.
      return rename(this.#draft, this.#path);
    });
    await rm(this.#draft, { force: true });
    return this.#length;
  }

  /** Removes the draft. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {});
    await rm(this.#draft, { force: true });
  }

  async #append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#length);
      at += bytesWritten;
      this.#length += bytesWritten;
    }
  }
}
