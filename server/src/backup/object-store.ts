import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DriverContract } from 'flydrive/types';
import type { Config } from '../config/config.ts';
import { openBucket } from '../files/storage-driver.ts';
import { BackupError } from './backup-error.ts';

/** Where backups are: objects by name. An object is complete, or it is not there. */
export interface ObjectStore {
  /** For messages. */
  readonly place: string;
  put(name: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void>;
  get(name: string): Promise<AsyncIterable<Uint8Array>>;
  /** `undefined` if there is none. */
  size(name: string): Promise<number | undefined>;
  /** The names that begin with the folder, such as `backups/`. */
  list(folder: string): AsyncIterable<string>;
  remove(name: string): Promise<void>;
}

/** `undefined` if no place for backups is configured. */
export async function openObjectStore({
  backupPath,
  backupStorageUrl,
}: Pick<Config, 'backupPath' | 'backupStorageUrl'>): Promise<ObjectStore | undefined> {
  if (backupStorageUrl !== undefined) return bucketStore(await openBucket(backupStorageUrl), 'BACKUP_STORAGE_URL');
  return backupPath === undefined ? undefined : folderStore(backupPath);
}

const partial = /\.[0-9a-f]{8}\.partial$/;
/** What a killed backup has left is older than this. */
const partialAgeMs = 24 * 3_600_000;

export function folderStore(folder: string): ObjectStore {
  const path = (name: string) => join(folder, ...name.split('/'));
  return {
    place: folder,
    async put(name, _size, content) {
      const file = path(name);
      const draft = `${file}.${randomBytes(4).toString('hex')}.partial`;
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      try {
        await pipeline(content, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
        await rename(draft, file);
        await syncFolder(dirname(file));
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
    async get(name) {
      if ((await sizeOf(path(name))) === undefined) throw missing(name, folder);
      return createReadStream(path(name));
    },
    size: (name) => sizeOf(path(name)),
    async *list(prefix) {
      const entries = await readdir(path(prefix), { recursive: true, withFileTypes: true }).catch(() => []);
      for (const entry of entries.filter((one) => one.isFile())) {
        const file = join(entry.parentPath, entry.name);
        if (!partial.test(entry.name)) yield relative(folder, file).split(sep).join('/');
        else if (Date.now() - (await stat(file)).mtimeMs > partialAgeMs) await rm(file, { force: true });
      }
    },
    remove: (name) => rm(path(name), { force: true }),
  };
}

async function sizeOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found?.size;
}

/** A rename survives a power failure only when its folder is on the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** Below `chowk-backup/`, so that the bucket may have other objects. */
const root = 'chowk-backup/';

function bucketStore(driver: DriverContract, place: string): ObjectStore {
  return {
    place,
    async put(name, size, content) {
      const source = Readable.from(content, { objectMode: false });
      try {
        await driver.putStream(root + name, source, { contentLength: size, contentType: 'application/octet-stream' });
      } catch (error) {
        throw source.errored ?? error;
      }
    },
    async get(name) {
      if (!(await driver.exists(root + name))) throw missing(name, place);
      return driver.getStream(root + name);
    },
    async size(name) {
      if (!(await driver.exists(root + name))) return undefined;
      return (await driver.getMetaData(root + name)).contentLength;
    },
    async *list(prefix) {
      let paginationToken: string | undefined;
      do {
        const options = { recursive: true, ...(paginationToken ? { paginationToken } : {}) };
        const page = await driver.listAll(root + prefix, options);
        for (const object of page.objects) if (object.isFile) yield object.key.slice(root.length);
        paginationToken = page.paginationToken;
      } while (paginationToken);
    },
    remove: (name) => driver.delete(root + name),
  };
}

function missing(name: string, place: string): BackupError {
  return new BackupError(`${name} is missing in ${place}`);
}
