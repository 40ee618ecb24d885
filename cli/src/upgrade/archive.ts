import { gunzip } from 'node:zlib';
import { ArchiveError, unpack } from './archive-entry.ts';
import { readTar } from './tar.ts';
import { readZip } from './zip.ts';

export interface Extraction {
  readonly archiveName: string;
  readonly filename: string;
  /** The size of the unpacked content. */
  readonly maxBytes: number;
}

/** A file of a `.tar.gz` or `.zip`, in any of its folders. Nothing is written to disk, so no entry can reach other files. */
export async function extractFile(archive: Buffer, { archiveName, filename, maxBytes }: Extraction): Promise<Buffer> {
  const entries = archiveName.endsWith('.zip')
    ? readZip(archive, maxBytes)
    : readTar(await unpack(gunzip, archive, maxBytes));
  for (const { name } of entries) checkName(name);
  const found = entries.filter(({ name, isFile }) => isFile && name.split('/').at(-1) === filename);
  const [entry] = found;
  if (!entry) throw new ArchiveError(`has no file ${filename}`);
  if (found.length > 1) throw new ArchiveError(`has ${found.length} files ${filename}`);
  const content = await entry.content();
  if (content.length === 0) throw new ArchiveError(`has an empty file ${filename}`);
  return content;
}

function checkName(name: string): void {
  const isSafe = !/^[/\\]|^[a-z]:|\0/i.test(name) && !name.split(/[/\\]/).includes('..');
  if (!isSafe) throw new ArchiveError('has an entry outside of its folder');
}
