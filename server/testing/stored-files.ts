import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kernel } from '../src/kernel.ts';

/** The paths of all files that the platform has on the disk, uploads in progress included. */
export async function storedFiles({ config: { storagePath } }: Kernel): Promise<string[]> {
  const folders = ['files', 'uploads'].map((name) => join(storagePath, name)).filter((folder) => existsSync(folder));
  const entries = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })));
  const files = entries.flat().filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(storagePath.length + 1)).sort();
}
