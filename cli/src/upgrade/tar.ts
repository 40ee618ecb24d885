import { type ArchiveEntry, ArchiveError } from './archive-entry.ts';

const block = 512;
const folderType = '5';
const fileTypes = ['0', '\0'];
/** Attributes for the next entry or for all. No name of ours needs them. */
const attributeTypes = ['x', 'g'];

/** The files and folders of a tar archive (POSIX ustar). Links, devices and other types are refused. */
export function readTar(tar: Buffer): ArchiveEntry[] {
  const entries: ArchiveEntry[] = [];
  let offset = 0;
  while (offset + block <= tar.length) {
    const header = tar.subarray(offset, offset + block);
    if (header.every((byte) => byte === 0)) return entries;
    checkSum(header);
    const size = readOctal(header, 124, 12);
    const start = offset + block;
    if (start + size > tar.length) throw new ArchiveError('is incomplete');
    const type = readText(header, 156, 1) || '\0';
    offset = start + Math.ceil(size / block) * block;
    if (attributeTypes.includes(type)) continue;
    const isFile = fileTypes.includes(type);
    if (!isFile && type !== folderType) throw new ArchiveError('has an entry that is neither a file nor a folder');
    entries.push({ name: readName(header), isFile, content: async () => tar.subarray(start, start + size) });
  }
  throw new ArchiveError('is incomplete');
}

function readName(header: Buffer): string {
  const isUstar = readText(header, 257, 5) === 'ustar';
  const prefix = isUstar ? readText(header, 345, 155) : '';
  const name = readText(header, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

function readText(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}

function readOctal(header: Buffer, start: number, length: number): number {
  const text = readText(header, start, length).trim();
  if (!/^[0-7]+$/.test(text)) throw new ArchiveError('is damaged');
  return Number.parseInt(text, 8);
}

function checkSum(header: Buffer): void {
  const expected = readOctal(header, 148, 8);
  let sum = 8 * 0x20;
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte;
  if (sum !== expected) throw new ArchiveError('is damaged');
}
