import { rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const files = new Set<string>();
let count = 0;

/** A path beside the target, for a file that takes its name when it is complete. Removed if the program is interrupted. */
export function temporaryFileFor(target: string): string {
  count += 1;
  const file = join(dirname(target), `.${basename(target)}.${process.pid}.${count}.part`);
  files.add(file);
  return file;
}

export function removeTemporaryFiles(): void {
  for (const file of files) rmSync(file, { force: true });
  files.clear();
}
