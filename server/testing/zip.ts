import { crc32, deflateRawSync } from 'node:zlib';
import { centralHeader, endRecords, localHeader, type ZipEntry } from '../src/tenancy/archive-zip.ts';

/** An entry of a ZIP file, which a test may falsify. */
export interface ZipPart extends Partial<ZipEntry> {
  readonly name: string;
  readonly content: Buffer | string;
  /** General purpose flags. */
  readonly flags?: number;
}

/** A ZIP file with the entries as they are given. */
export function zip(parts: readonly ZipPart[]): Buffer {
  const [written, directory]: [Buffer[], Buffer[]] = [[], []];
  let length = 0;
  for (const { name, content, flags, ...lies } of parts) {
    const bytes = Buffer.from(content);
    const data = deflateRawSync(bytes);
    const truth = { name, method: 8, crc: crc32(bytes), size: bytes.length, compressedSize: data.length };
    const entry = { ...truth, offset: length, mode: 0o100600, ...lies };
    const [local, central] = [localHeader(entry), centralHeader(entry)];
    if (flags !== undefined) central.writeUInt16LE(flags, 8);
    written.push(local, data);
    directory.push(central);
    length += local.length + data.length;
  }
  const size = directory.reduce((sum, { length: bytes }) => sum + bytes, 0);
  return Buffer.concat([...written, ...directory, endRecords({ count: parts.length, size, offset: length })]);
}

/** The parts of a package of the module `notes`. */
export function packageParts(manifest: object = {}): ZipPart[] {
  const complete = {
    name: 'Shop Notes',
    alias: 'notes',
    version: '1.0.0',
    description: 'For a test.',
    compatibility: { platform: '^1.0.0' },
    ...manifest,
  };
  return [
    { name: 'migrations/0001_table.sql', content: `CREATE TABLE ${complete.alias} (id int);` },
    { name: 'module.js', content: 'export const module = {};' },
    { name: 'module.json', content: JSON.stringify(complete) },
  ];
}

/** A package with another alias or another file. */
export function packageBytes({ alias, ...files }: { alias?: string; 'module.js'?: string } = {}): Buffer {
  const parts = packageParts(alias === undefined ? {} : { alias });
  return zip(parts.map((part) => ({ ...part, content: (files as Record<string, string>)[part.name] ?? part.content })));
}
