import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Makes a folder aside and renames it into place, so that it is there whole or not at all, even when its maker is
 * killed. Several makers may race: the first one wins, and to the others that is no failure.
 * `mark` is a file by which a whole folder is known.
 */
export async function makeWhole(folder: string, mark: string, make: (staged: string) => Promise<void>): Promise<void> {
  const whole = () => existsSync(join(folder, mark));
  if (!whole()) {
    const staged = `${folder}.new-${randomBytes(6).toString('hex')}`;
    try {
      await make(staged);
      await rename(staged, folder);
      await syncFolder(dirname(folder));
    } catch (error) {
      await rm(staged, { recursive: true, force: true });
      if (!whole()) throw error;
    }
  }
  await sweep(folder);
}

/** Once the folder is there, whatever was staged for it is rubbish, even if its maker is still at work. */
async function sweep(folder: string): Promise<void> {
  const parent = dirname(folder);
  const staged = (await readdir(parent)).filter((name) => name.startsWith(`${basename(folder)}.new-`));
  for (const name of staged) {
    // What a maker at work adds meanwhile stays until the next sweep.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
}

/** Without this a power failure may undo a rename. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
