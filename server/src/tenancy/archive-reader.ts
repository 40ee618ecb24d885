import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import {
  centralLength,
  end64Length,
  endLength,
  localLength,
  locatorLength,
  readCentralHeader,
  signatures,
  type ZipEntry,
} from './archive-zip.ts';

/** What `tenant:export` writes. */
const knownName =
  /^(manifest\.json|tables\/[a-z_][a-z0-9_]{0,62}\.copy|files\/[a-z][a-z0-9-]{0,48}\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const maxDirectoryBytes = 512 * 1_048_576;
/** Rows usually compress to a tenth. */
const usualRatio = 200;
/** DEFLATE cannot do better. */
const maxRatio = 1_040;
const chunkBytes = 65_536;
const freeBytes = 16 * 1_048_576;
const [isEncrypted, typeBits, regularFile] = [1, 0o170000, 0o100000];

/** What a ZIP file may contain. */
export interface ArchiveRules {
  /** Nothing else is read, so no other name ever becomes a path. */
  readonly knownName: RegExp;
  readonly maxEntries: number;
  /** The maximum size of all contents together. */
  readonly maxBytes: number;
}

const exportRules: ArchiveRules = { knownName, maxEntries: 2_000_000, maxBytes: Infinity };

/** An archive that cannot be used, because it is damaged or was not written by this program. */
export class ArchiveError extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`the archive cannot be used: ${reason}`);
    this.reason = reason;
  }
}

/** Reads a ZIP file entry by entry. Everything in it is distrusted. */
export class ArchiveReader {
  readonly #file: FileHandle;
  readonly entries: ReadonlyMap<string, ZipEntry>;

  private constructor(file: FileHandle, entries: ReadonlyMap<string, ZipEntry>) {
    this.#file = file;
    this.entries = entries;
  }

  static async open(path: string, { isLarge = false, rules = exportRules } = {}): Promise<ArchiveReader> {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const entries = await readDirectory(file, size, rules.maxEntries);
      checkEntries(entries, size, rules.knownName);
      checkSize(entries, size, { isLarge, ...rules });
      return new ArchiveReader(file, new Map(entries.map((entry) => [entry.name, entry])));
    } catch (error) {
      await file.close();
      throw error instanceof RangeError ? new ArchiveError('its directory is damaged') : error;
    }
  }

  /** The content of an entry, checked against its size and checksum at the end. */
  async *read(name: string): AsyncGenerator<Buffer> {
    const entry = this.entries.get(name);
    if (!entry) throw new ArchiveError(`${name} is missing`);
    let [crc, size] = [0, 0];
    try {
      for await (const chunk of await this.#open(entry)) {
        crc = crc32(chunk, crc);
        size += chunk.length;
        if (size > entry.size) break;
        yield chunk;
      }
    } catch (error) {
      if (!isZlibError(error)) throw error;
      throw new ArchiveError(`${name} is damaged`);
    }
    if (size !== entry.size || crc !== entry.crc) throw new ArchiveError(`${name} is damaged`);
  }

  async readText(name: string, maxBytes: number): Promise<string> {
    if ((this.entries.get(name)?.size ?? 0) > maxBytes) throw new ArchiveError(`${name} is too large`);
    const chunks: Buffer[] = [];
    for await (const chunk of this.read(name)) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #open({ name, method, offset, compressedSize }: ZipEntry): Promise<AsyncIterable<Buffer>> {
    const header = await readExactly(this.#file, offset, localLength);
    if (header.readUInt32LE(0) !== signatures.local) throw new ArchiveError(`${name} is damaged`);
    const start = offset + localLength + header.readUInt16LE(26) + header.readUInt16LE(28);
    const content = readRange(this.#file, start, compressedSize);
    // The error reaches the reader through the last stream.
    return method === 0 ? content : pipeline(content, createInflateRaw(), () => {});
  }
}

async function readDirectory(file: FileHandle, size: number, maxEntries: number): Promise<ZipEntry[]> {
  const { count, length, offset } = await findDirectory(file, size);
  if (count > maxEntries || length > maxDirectoryBytes) throw new ArchiveError('it has too many entries');
  if (offset + length > size || length < count * centralLength) throw new ArchiveError('its directory is damaged');
  const directory = await readExactly(file, offset, length);
  const entries: ZipEntry[] = [];
  for (let at = 0; entries.length < count; ) {
    const header = readCentralHeader(directory, at);
    if (header.flags & isEncrypted) throw new ArchiveError(`${header.entry.name} is encrypted`);
    entries.push(header.entry);
    at += header.length;
  }
  return entries;
}

/** Without a comment at the end, which `tenant:export` never writes. */
async function findDirectory(file: FileHandle, size: number) {
  const truncated = new ArchiveError('it is truncated, or not a ZIP file');
  if (size < endLength) throw truncated;
  const end = await readExactly(file, size - endLength, endLength);
  if (end.readUInt32LE(0) !== signatures.end) throw truncated;
  const plain = { count: end.readUInt16LE(10), length: end.readUInt32LE(12), offset: end.readUInt32LE(16) };
  if (plain.count !== 0xffff && plain.offset !== 0xffffffff) return plain;
  const tail = await readExactly(file, size - endLength - locatorLength, locatorLength);
  if (tail.readUInt32LE(0) !== signatures.locator64) throw truncated;
  const end64 = await readExactly(file, Number(tail.readBigUInt64LE(8)), end64Length);
  if (end64.readUInt32LE(0) !== signatures.end64) throw truncated;
  const [count, length, offset] = [32, 40, 48].map((at) => Number(end64.readBigUInt64LE(at))) as [
    number,
    number,
    number,
  ];
  return { count, length, offset };
}

function checkEntries(entries: readonly ZipEntry[], archiveSize: number, known: RegExp): void {
  const names = new Set<string>();
  for (const { name, method, mode } of entries) {
    if (!known.test(name)) throw new ArchiveError(`it has an unexpected entry ${JSON.stringify(name.slice(0, 100))}`);
    // Some file systems do not distinguish upper and lower case.
    if (names.has(name.toLowerCase())) throw new ArchiveError(`it has ${name} twice`);
    if (mode !== 0 && (mode & typeBits) !== regularFile) throw new ArchiveError(`${name} is not a regular file`);
    if (method !== 0 && method !== 8) throw new ArchiveError(`${name} is compressed in an unknown way`);
    names.add(name.toLowerCase());
  }
  let end = 0;
  for (const { name, offset, compressedSize } of entries.toSorted((one, other) => one.offset - other.offset)) {
    if (offset < end) throw new ArchiveError(`${name} overlaps another entry`);
    end = offset + localLength + Buffer.byteLength(name) + compressedSize;
  }
  if (end > archiveSize) throw new ArchiveError('it is truncated');
}

/** An operator who trusts the archive can allow more with `--large`. */
function checkSize(
  entries: readonly ZipEntry[],
  archiveSize: number,
  { isLarge, maxBytes }: { readonly isLarge: boolean; readonly maxBytes: number },
): void {
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total > maxBytes) throw new ArchiveError(`its content exceeds ${maxBytes / 1_048_576} MB`);
  if (total > maxRatio * archiveSize + freeBytes) throw new ArchiveError('its content is implausibly large');
  if (isLarge || total <= usualRatio * archiveSize + freeBytes) return;
  const megabytes = Math.round(total / 1_048_576).toLocaleString('en');
  throw new ArchiveError(`its content has ${megabytes} MB, unusually much for its size; if that is right, use --large`);
}

async function* readRange(file: FileHandle, start: number, length: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < length; ) {
    const chunk = await readExactly(file, start + done, Math.min(chunkBytes, length - done));
    yield chunk;
    done += chunk.length;
  }
}

async function readExactly(file: FileHandle, at: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(at) || at < 0) throw new ArchiveError('its directory is damaged');
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, at);
  if (bytesRead < length) throw new ArchiveError('it is truncated');
  return bytes;
}

function isZlibError(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('Z_');
}
