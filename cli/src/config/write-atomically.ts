import { open, rename } from 'node:fs/promises';
import { temporaryFileFor } from '../temporary-files.ts';

/** Replaces a file, readable by its owner only: readers see the old text or the new one. */
export async function writeAtomically(path: string, text: string): Promise<void> {
  const temporary = temporaryFileFor(path);
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
