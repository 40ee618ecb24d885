import { gzipSync } from 'node:zlib';
import { type PackedFile, writeTar } from './tar.ts';
import { writeZip } from './zip.ts';

/** The archive of the files, sorted by name: a ZIP if its name says so, else a compressed tar archive. */
export function writeArchive(filename: string, files: readonly PackedFile[], time: Date, level = 6): Buffer {
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (filename.endsWith('.zip')) return writeZip(sorted, time, level);
  const archive = gzipSync(writeTar(sorted, time), { level });
  // The operating system on which it was made: unknown.
  archive[9] = 255;
  return archive;
}
