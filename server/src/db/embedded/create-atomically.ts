import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Creates a directory under a temporary name and renames it, so that it is complete or absent even after a crash. Several
 * processes may do this at once. `marker` is a file that every complete directory contains.
 */
export async function createAtomically(
  folder: string,
  marker: string,
  create: (staged: string) => Promise<void>,
): Promise<void> {
  const isComplete = () => existsSync(join(folder, marker));
  if (!isComplete()) {
    const staged = `${folder}.new-${randomBytes(6).toString('hex')}`;
    try {
      await create(staged);
      await rename(staged, folder);
      await syncFolder(dirname(folder));
    } catch (error) {
      await rm(staged, { recursive: true, force: true });
      if (!isComplete()) throw error;
    }
  }
  await removeStaged(folder);
}

/** Once the directory exists, staged copies are useless, even one that another process is still writing. */
async function removeStaged(folder: string): Promise<void> {
  const parent = dirname(folder);
  const staged = (await readdir(parent)).filter((name) => name.startsWith(`${basename(folder)}.new-`));
  for (const name of staged) {
    // Files that another process adds meanwhile stay until the next start.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
}

/** Without this a power failure may undo the rename. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
