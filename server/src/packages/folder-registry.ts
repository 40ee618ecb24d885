import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Registry } from './registry.ts';

/** A registry in a folder: `<alias>/<version>/<file>`. */
export function folderRegistry(folder: string): Registry {
  return {
    place: folder,
    async read({ alias, version }, file, maxBytes) {
      const path = join(folder, alias, version, file);
      try {
        if ((await stat(path)).size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
        return await readFile(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async write({ alias, version }, file, content) {
      const path = join(folder, alias, version, file);
      const draft = `${path}.${randomBytes(4).toString('hex')}`;
      await mkdir(join(folder, alias, version), { recursive: true });
      try {
        await writeFile(draft, content);
        // Unlike a rename, this fails if another process has written the file.
        await link(draft, path).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error;
          throw new Error(`another process has just published ${path}; run the command again to compare`);
        });
      } finally {
        await rm(draft, { force: true });
      }
    },
  };
}
