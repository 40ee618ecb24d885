import { crc32, inflateRaw } from 'node:zlib';
import { type ArchiveEntry, ArchiveError, tooLarge, unpack } from './archive-entry.ts';

const endLength = 22;
const centralLength = 46;
const localLength = 30;
const maxCommentLength = 0xffff;
const isEncrypted = 1;
const fileType = 0o10;
const folderType = 0o04;

/** The files and folders of a ZIP archive (APPNOTE 6.3, without ZIP64). Links and other types are refused. */
export function readZip(zip: Buffer, maxBytes: number): ArchiveEntry[] {
  const end = findEnd(zip);
  const count = zip.readUInt16LE(end + 10);
  const entries: ArchiveEntry[] = [];
  let offset = zip.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (offset + centralLength > end || zip.readUInt32LE(offset) !== 0x02014b50) throw new ArchiveError('is damaged');
    entries.push(readEntry(zip, offset, maxBytes));
    const lengths = [28, 30, 32].map((field) => zip.readUInt16LE(offset + field));
    offset += centralLength + lengths.reduce((sum, length) => sum + length, 0);
  }
  return entries;
}

function findEnd(zip: Buffer): number {
  const last = zip.length - endLength;
  for (let offset = last; offset >= Math.max(0, last - maxCommentLength); offset -= 1) {
    if (zip.readUInt32LE(offset) === 0x06054b50) return offset;
  }
  throw new ArchiveError('is incomplete');
}

function readEntry(zip: Buffer, offset: number, maxBytes: number): ArchiveEntry {
  const nameLength = zip.readUInt16LE(offset + 28);
  const name = zip.toString('utf8', offset + centralLength, offset + centralLength + nameLength);
  const type = zip.readUInt32LE(offset + 38) >>> 28;
  if (![0, fileType, folderType].includes(type)) {
    throw new ArchiveError('has an entry that is neither a file nor a folder');
  }
  return {
    name,
    isFile: type !== folderType && !name.endsWith('/'),
    content: () => readContent(zip, offset, maxBytes),
  };
}

async function readContent(zip: Buffer, offset: number, maxBytes: number): Promise<Buffer> {
  const flags = zip.readUInt16LE(offset + 8);
  const method = zip.readUInt16LE(offset + 10);
  const [crc = 0, compressedSize = 0, size = 0] = [16, 20, 24].map((field) => zip.readUInt32LE(offset + field));
  const local = zip.readUInt32LE(offset + 42);
  if ((flags & isEncrypted) !== 0 || ![0, 8].includes(method))
    throw new ArchiveError('is encrypted or uses a method other than deflate');
  if (size > maxBytes) throw tooLarge(maxBytes);
  if (local + localLength > zip.length || zip.readUInt32LE(local) !== 0x04034b50) throw new ArchiveError('is damaged');
  const start = local + localLength + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  if (start + compressedSize > zip.length) throw new ArchiveError('is incomplete');
  const data = zip.subarray(start, start + compressedSize);
  const content = method === 0 ? data : await unpack(inflateRaw, data, maxBytes);
  if (content.length !== size || crc32(content) !== crc) throw new ArchiveError('is damaged');
  return content;
}
