import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { BackupError } from './backup-error.ts';
import {
  type BackupManifest,
  type FileEntry,
  type FileList,
  manifestFormat,
  type StoredObject,
} from './backup-manifest.ts';
import { decrypt, decryptedSize, deriveBackupKey, encrypt, encryptedSize, nameContent } from './encryption.ts';
import type { ObjectStore } from './object-store.ts';

const header = 'chowk-backup.json';
const probe = 'key-check';

/**
 * The encrypted backups of a place. A backup is its manifest, `backups/<id>`, which is written last, and the objects that it names.
 * Objects are never changed, and backups share them.
 */
export class BackupStore {
  readonly #objects: ObjectStore;
  readonly #key: Buffer;

  private constructor(objects: ObjectStore, key: Buffer) {
    this.#objects = objects;
    this.#key = key;
  }

  /** Throws if the passphrase is not that of the backups there. */
  static async open(objects: ObjectStore, passphrase: string, { creates = false } = {}): Promise<BackupStore> {
    if ((await objects.size(header)) === undefined) {
      if (!creates) throw new BackupError(`there are no backups in ${objects.place}`);
      await create(objects, passphrase);
    }
    const { format, salt } = JSON.parse(await text(Readable.from(await objects.get(header)))) as Header;
    if (format !== manifestFormat) {
      throw new BackupError(
        `the backups in ${objects.place} have the format ${format}; this version reads ${manifestFormat}`,
      );
    }
    const key = await deriveBackupKey(passphrase, Buffer.from(salt, 'base64'));
    const store = new BackupStore(objects, key);
    await text(Readable.from(store.read(probe))).catch((error: unknown) => {
      if (!(error instanceof BackupError)) throw error;
      throw new BackupError(`BACKUP_KEY is not the one that the backups in ${objects.place} are encrypted with`);
    });
    return store;
  }

  get place(): string {
    return this.#objects.place;
  }

  /** A name that depends on the content, and reveals it only to who has the key. */
  nameContent(content: string): string {
    return nameContent(this.#key, content);
  }

  /** Whether the object exists with the size that it must have. */
  async has(name: string, bytes: number): Promise<boolean> {
    return (await this.#objects.size(name)) === encryptedSize(bytes);
  }

  async write(name: string, bytes: number, content: AsyncIterable<Uint8Array>): Promise<StoredObject> {
    await this.#objects.put(name, encryptedSize(bytes), encrypt(this.#key, name, content));
    return { object: name, bytes };
  }

  /** Writes a file of this machine, unless there is an object with the name, which depends on the content. */
  async writeFile(name: string, path: string): Promise<StoredObject & { readonly isNew: boolean }> {
    const existing = await this.#objects.size(name);
    if (existing !== undefined) return { object: name, bytes: decryptedSize(existing), isNew: false };
    const { size } = await stat(path);
    return { ...(await this.write(name, size, createReadStream(path))), isNew: true };
  }

  async *read(name: string): AsyncGenerator<Buffer> {
    yield* decrypt(this.#key, name, await this.#objects.get(name));
  }

  /** Decrypts an object to a file of this machine. */
  async readToFile({ object }: StoredObject, path: string): Promise<void> {
    await pipeline(this.read(object), createWriteStream(path, { mode: 0o600 }));
  }

  async *readFileList({ object }: FileList): AsyncGenerator<FileEntry> {
    const lines = createInterface({ input: Readable.from(this.read(object)), crlfDelay: Infinity });
    for await (const line of lines) if (line !== '') yield JSON.parse(line) as FileEntry;
  }

  async writeManifest(manifest: BackupManifest): Promise<void> {
    const content = Buffer.from(JSON.stringify(manifest));
    await this.write(manifestName(manifest.id), content.length, only(content));
  }

  async readManifest(id: string): Promise<BackupManifest> {
    const manifest = JSON.parse(await text(Readable.from(this.read(manifestName(id))))) as BackupManifest;
    if (manifest.format !== manifestFormat || manifest.id !== id) throw new BackupError(`the backup ${id} is damaged`);
    return manifest;
  }

  /** The ids of the complete backups, the newest first. */
  async listIds(): Promise<string[]> {
    const ids: string[] = [];
    for await (const name of this.#objects.list('backups/')) ids.push(name.slice('backups/'.length));
    return ids.sort().reverse();
  }

  /** The backup with the id, or the newest that fits. */
  async find(id: string, fits: (manifest: BackupManifest) => boolean): Promise<BackupManifest> {
    if (id !== 'latest') return this.readManifest(id);
    for (const candidate of await this.listIds()) {
      const manifest = await this.readManifest(candidate);
      if (fits(manifest)) return manifest;
    }
    throw new BackupError(`there is no such backup in ${this.place}`);
  }

  async removeManifest(id: string): Promise<void> {
    await this.#objects.remove(manifestName(id));
  }

  /** Removes the objects in a folder that are not needed. */
  async removeUnneeded(folder: string, isNeeded: (name: string) => boolean): Promise<number> {
    let removed = 0;
    for await (const name of this.#objects.list(folder)) {
      if (isNeeded(name)) continue;
      await this.#objects.remove(name);
      removed += 1;
    }
    return removed;
  }
}

interface Header {
  readonly format: number;
  readonly salt: string;
}

/** The header is written last: it says that the probe is there. */
async function create(objects: ObjectStore, passphrase: string): Promise<void> {
  const salt = randomBytes(32);
  const key = await deriveBackupKey(passphrase, salt);
  const check = Buffer.from('chowk');
  await objects.put(probe, encryptedSize(check.length), encrypt(key, probe, only(check)));
  const content = Buffer.from(`${JSON.stringify({ format: manifestFormat, salt: salt.toString('base64') })}\n`);
  await objects.put(header, content.length, only(content));
}

function manifestName(id: string): string {
  return `backups/${id}`;
}

async function* only(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
