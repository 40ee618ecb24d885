import { createWriteStream, existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Manifest, readManifest } from '../loader/manifest.ts';
import { ArchiveError, ArchiveReader, type ArchiveRules } from '../tenancy/archive-reader.ts';

export const maxPackageBytes = 32 * 1_048_576;

/** No hidden files, and nothing that the digest of a module leaves out, except for Markdown. */
const segment = '(?!node_modules/)[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}';
const fileName = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}';
/** Data that the code reads, which `module:pack` puts into one folder. */
const assetTypes = 'ttf|otf|woff2?|png|jpe?g|webp|gif|svg|ico|css|html|csv|xml|pdf';
const rules: ArchiveRules = {
  knownName: new RegExp(
    `^(${segment}/){0,3}${fileName}\\.(js|json|sql|graphql|md|txt)$|^assets/${fileName}\\.(${assetTypes})$`,
  ),
  maxEntries: 2_000,
  maxBytes: 64 * 1_048_576,
};

/** Whether a package can have a file of this name. */
export function isPackable(name: string): boolean {
  return rules.knownName.test(name);
}

/** A package that cannot be used. Nothing of it was installed. */
export class PackageError extends Error {
  constructor(name: string, reason: string) {
    super(`the package ${name} cannot be used: ${reason}`);
  }
}

/** Unpacks a ZIP file into a new folder and returns the manifest. Everything in the file is distrusted. */
export async function unpack(zip: string, folder: string, name: string): Promise<Manifest> {
  try {
    const archive = await ArchiveReader.open(zip, { isLarge: true, rules });
    try {
      for (const file of archive.entries.keys()) await extract(archive, file, folder);
    } finally {
      await archive.close();
    }
  } catch (error) {
    throw error instanceof ArchiveError ? new PackageError(name, error.reason) : error;
  }
  for (const file of ['module.json', 'module.js']) {
    if (!existsSync(join(folder, file))) throw new PackageError(name, `${file} is missing`);
  }
  return readManifest(join(folder, 'module.json')).catch((error: Error) => {
    throw new PackageError(name, error.message.replace(`${folder}/`, ''));
  });
}

async function extract(archive: ArchiveReader, file: string, folder: string): Promise<void> {
  const path = join(folder, file);
  try {
    await mkdir(dirname(path), { recursive: true });
    await pipeline(archive.read(file), createWriteStream(path, { flags: 'wx', mode: 0o644 }));
  } catch (error) {
    const isFolderToo = ['EEXIST', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
    throw isFolderToo ? new ArchiveError(`${file} is a file and a folder`) : error;
  }
}
