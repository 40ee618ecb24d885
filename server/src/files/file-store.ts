import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  type Db,
  type Files,
  type FileType,
  type Log,
  type Secrets,
  type StoredFile,
  sql,
  systemJob,
  Type,
  type Upload,
  type WrittenFile,
  type WrittenImage,
} from '@chowk/kit/kernel';
import type { Config } from '../config/config.ts';
import { fail } from '../errors.ts';
import { downloadHeader, signedPath } from './file-link.ts';
import { detectContentType } from './file-type.ts';
import { encodeImage } from './images/encode-image.ts';
import { fromStorage, openFileStorage, type Storage } from './storage-driver.ts';

/** The module that files belong to, in a tenant or, for system modules, in none. */
interface Owner {
  readonly module: string;
  readonly tenantId: string | undefined;
  /** More files of the tenant than these megabytes are refused. */
  readonly storageLimit?: number | null;
}

/** The content of a file in the storage whose transaction decides whether it stays. */
interface Unsettled {
  readonly id: string;
  readonly file_id: string;
  readonly key: string;
  readonly tenant_id: string | null;
}

/** The files that one transaction, with its savepoints and retries, has written, kept and removed. */
export class FileChanges {
  /** By id. */
  readonly unsettled = new Map<string, Unsettled>();
  /** Once COMMIT is sent, a failure does not tell whether the transaction was committed. */
  isCommitting = false;
}

/** A transaction on the database of the owner. */
export interface FileTransaction {
  readonly db: Db;
  readonly files: FileChanges;
}

/** Where `ctx.files` reads and writes. */
interface Session {
  readonly db: Db;
  /** The changes of the request. Files that it wrote and no transaction kept are deleted when it ends. */
  readonly request: FileChanges | undefined;
  /** The changes of the current transaction. */
  readonly transaction?: FileChanges | undefined;
  inTransaction<Result>(work: (transaction: FileTransaction) => Promise<Result>): Promise<Result>;
}

interface FileRow extends StoredFile {
  readonly is_public: boolean;
}

/** A row of a tenant that is archived or imported. */
type ArchivedRow = Pick<FileRow, 'id' | 'size' | 'is_public'> & { readonly module: string; readonly type: string };

interface FileStoreOptions {
  readonly config: Config;
  readonly central: Db;
  readonly findDatabase: (tenantId: string) => Promise<Db | undefined>;
  readonly secrets: Secrets;
  readonly now: () => Date;
  readonly log: Log;
}

const extensions: Readonly<Record<FileType, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
  'message/rfc822': 'eml',
  'application/octet-stream': 'bin',
};

const maxLinkSeconds = 86_400;

/**
 * The files of modules: rows in the tenant's database, contents in the storage. `unsettled_files` records each change first;
 * after the transaction, or a crash, content without a row is deleted.
 */
export class FileStore {
  readonly #options: FileStoreOptions;
  #storage: Promise<Storage> | undefined;

  constructor(options: FileStoreOptions) {
    this.#options = options;
  }

  get storage(): Promise<Storage> {
    this.#storage ??= openFileStorage(this.#options.config);
    return this.#storage;
  }

  /** Why files cannot be stored; `undefined` if they can. Writes, reads and deletes a small one. */
  async probe(): Promise<string | undefined> {
    const key = `private/probe-${randomUUID()}`;
    try {
      const { driver } = await this.storage;
      await driver.put(key, 'probe');
      const content = await driver.get(key);
      await driver.delete(key);
      return content === 'probe' ? undefined : 'a file that was written has another content';
    } catch (error) {
      const { cause, message } = error as Error;
      return cause instanceof Error ? cause.message || cause.name : message;
    }
  }

  /** `ctx.files` of a module. */
  forOwner(owner: Owner, { db, request, transaction: changes = request, inTransaction }: Session): Files {
    return {
      write: async (content, { type = 'type' in content ? content.type : undefined, isPublic = false } = {}) => {
        if (!type) throw new Error('name the type of content that is not an upload');
        if (isPublic && owner.tenantId === undefined) throw new Error('the files of a system module are private');
        await checkRoom(db, owner, sizeOf(content));
        return this.#write(owner, changes, content, { type, isPublic });
      },
      detectType: detectContentType,
      writeImage: async (upload, sizes, { type = 'image/webp' } = {}) => {
        if (owner.tenantId === undefined) throw new Error('the files of a system module are private');
        const images: WrittenImage[] = [];
        // One after the other: if one fails, no other is being written any more.
        const encoded = await encodeImage(upload, sizes, type);
        await checkRoom(
          db,
          owner,
          encoded.reduce((sum, { data }) => sum + data.length, 0),
        );
        for (const { data, width, height } of encoded) {
          const file = await this.#write(owner, changes, data, { type, isPublic: true });
          images.push({ file, width, height });
        }
        return images;
      },
      publish: async (id) => {
        if (owner.tenantId === undefined) throw new Error('the files of a system module are private');
        const file = await findFile(db, owner, id);
        const content = await fromStorage((await this.storage).driver.getStream(storageKey(owner, file)));
        const copy = { size: file.size, stream: () => content };
        return this.#write(owner, changes, copy, { type: file.type, isPublic: true });
      },
      keep: (file) =>
        inTransaction(async (transaction) => {
          // From now on this transaction decides whether the file is kept.
          request?.unsettled.delete(file.record);
          return this.#keep(owner, transaction, file);
        }),
      read: async (id) => {
        const file = await findFile(db, owner, id);
        return fromStorage((await this.storage).driver.getStream(storageKey(owner, file)));
      },
      remove: (id) => inTransaction((transaction) => this.#remove(owner, transaction, id)),
      link: async (id, { seconds = 300, fileName = id } = {}) => {
        if (seconds < 1 || seconds > maxLinkSeconds) throw new Error(`a link works for 1 to ${maxLinkSeconds} seconds`);
        const file = await findFile(db, owner, id);
        return this.#link(storageKey(owner, file), file.type, { seconds, fileName });
      },
      publicUrl: ({ id, type }) => `/media/${owner.tenantId}/${owner.module}/${id}.${extensions[type]}`,
    };
  }

  /** Runs a transaction on the central database, for the files of system modules. */
  async inCentralTransaction<Result>(work: (transaction: FileTransaction) => Promise<Result>): Promise<Result> {
    const files = new FileChanges();
    return this.settleAfter(files, () =>
      this.#options.central.tx(async (db) => {
        files.isCommitting = false;
        const result = await work({ db, files });
        files.isCommitting = true;
        return result;
      }),
    );
  }

  /** Runs the work and deletes the contents that have no row afterwards. */
  async settleAfter<Result>(files: FileChanges, work: () => Promise<Result>): Promise<Result> {
    let isKnown = true;
    try {
      return await work();
    } catch (error) {
      isKnown = !files.isCommitting;
      throw error;
    } finally {
      if (isKnown && files.unsettled.size > 0) await this.settle(files);
    }
  }

  /** Deletes the contents that have no row after the transaction. */
  async settle({ unsettled }: FileChanges): Promise<void> {
    await this.#settle([...unsettled.values()]);
  }

  /** The name of a file in the storage. */
  contentKey(tenantId: string | undefined, file: ArchivedRow): string {
    if (!Object.hasOwn(extensions, file.type)) throw new Error(`files of the type ${file.type} are not supported`);
    return storageKey({ tenantId, module: file.module }, file as FileRow);
  }

  /** The size of what the storage has of a file; `undefined` if nothing. */
  async contentSize(tenantId: string | undefined, file: ArchivedRow): Promise<number | undefined> {
    const { driver } = await this.storage;
    const key = this.contentKey(tenantId, file);
    return (await driver.exists(key)) ? (await driver.getMetaData(key)).contentLength : undefined;
  }

  /** The content of a file for an archive of its tenant; `undefined` if it does not exist any more. */
  async readContent(tenantId: string | undefined, file: ArchivedRow): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { driver } = await this.storage;
    const key = storageKey({ tenantId, module: file.module }, file as FileRow);
    if (!(await driver.exists(key))) return undefined;
    return fromStorage(driver.getStream(key));
  }

  /** Writes the content of a file whose row exists already, in a tenant that is being imported. */
  async writeContent(
    tenantId: string | undefined,
    file: ArchivedRow,
    content: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const key = this.contentKey(tenantId, file);
    const { driver } = await this.storage;
    const options = { contentType: file.type, contentLength: file.size };
    const source = Readable.from(content, { objectMode: false });
    try {
      await fromStorage(driver.putStream(key, source, options));
    } catch (error) {
      throw source.errored ?? error;
    }
  }

  /** Deletes all files of a tenant that is being deleted. */
  async removeTenant(tenantId: string): Promise<void> {
    const { driver } = await this.storage;
    // With the slash: on S3, `tenants/acme` is also the beginning of `tenants/acme-2`.
    for (const access of ['private', 'public']) await driver.deleteAll(`${access}/tenants/${tenantId}/`);
    await this.#options.central.run(sql`DELETE FROM unsettled_files WHERE tenant_id = ${tenantId}`);
  }

  /** The kernel's job that settles what crashed processes left. */
  get jobs() {
    return {
      'kernel.settle_files': systemJob({
        data: Type.Object({}),
        schedule: '41 * * * *',
        run: async () => ({ settled: await this.settleOld() }),
      }),
    };
  }

  /** After an hour every transaction has ended. */
  async settleOld(): Promise<number> {
    const old = await this.#options.central.rows<Unsettled>(sql`
      SELECT id, file_id, key, tenant_id FROM unsettled_files WHERE since < now() - interval '1 hour'
      ORDER BY since LIMIT 10000`);
    let settled = 0;
    for (const files of Map.groupBy(old, ({ tenant_id }) => tenant_id).values()) settled += await this.#settle(files);
    return settled;
  }

  async #write(
    owner: Owner,
    changes: FileChanges | undefined,
    content: Pick<Upload, 'size' | 'stream'> | Uint8Array,
    { type, isPublic }: { type: FileType; isPublic: boolean },
  ): Promise<WrittenFile> {
    if (isPublic && type === 'application/octet-stream') throw new Error('files of other types are private');
    const file = { id: randomUUID(), type, size: sizeOf(content) };
    const key = storageKey(owner, { ...file, is_public: isPublic });
    const { driver } = await this.storage;
    const record = await this.#record(owner, file.id, key);
    changes?.unsettled.set(record.id, record);
    const options = { contentType: type, contentLength: file.size };
    const isStream = 'stream' in content;
    await fromStorage(isStream ? driver.putStream(key, content.stream(), options) : driver.put(key, content, options));
    return { ...file, isPublic, record: record.id };
  }

  async #keep(owner: Owner, { db, files }: FileTransaction, file: WrittenFile): Promise<StoredFile> {
    const { id, type, size, isPublic, record } = file;
    const key = storageKey(owner, { ...file, is_public: isPublic });
    files.unsettled.set(record, { id: record, file_id: id, key, tenant_id: owner.tenantId ?? null });
    await db.run(sql`
      INSERT INTO stored_files (id, module, type, size, is_public, created_at)
      VALUES (${id}, ${owner.module}, ${type}, ${size}, ${isPublic}, ${this.#options.now()})`);
    return { id, type, size };
  }

  async #remove(owner: Owner, { db, files }: FileTransaction, id: string): Promise<boolean> {
    const file = isUuid(id)
      ? await db.row<FileRow>(sql`
          DELETE FROM stored_files WHERE id = ${id} AND module = ${owner.module} RETURNING id, type, size, is_public`)
      : undefined;
    if (!file) return false;
    const record = await this.#record(owner, file.id, storageKey(owner, file));
    files.unsettled.set(record.id, record);
    return true;
  }

  /** Committed at once, on a connection of its own: it must survive the transaction. */
  async #record(
    { tenantId = null }: { tenantId?: string | null | undefined },
    fileId: string,
    key: string,
  ): Promise<Unsettled> {
    const record = { id: randomUUID(), file_id: fileId, key, tenant_id: tenantId };
    await this.#options.central.run(sql`
      INSERT INTO unsettled_files (id, file_id, key, tenant_id) VALUES (${record.id}, ${fileId}, ${key}, ${tenantId})`);
    return record;
  }

  /** For files of one tenant. Resolves to their number or, if it failed, to 0: the job tries again. */
  async #settle(unsettled: readonly Unsettled[]): Promise<number> {
    const { central, findDatabase, log } = this.#options;
    try {
      const tenantId = unsettled[0]?.tenant_id ?? null;
      const db = tenantId === null ? central : await findDatabase(tenantId);
      if (!db) return 0;
      const fileIds = unsettled.map(({ file_id }) => file_id);
      const rows = await db.rows<{ id: string }>(sql`SELECT id FROM stored_files WHERE id = ANY(${fileIds}::uuid[])`);
      const kept = new Set(rows.map(({ id }) => id));
      const { driver } = await this.storage;
      for (const { file_id, key } of unsettled) if (!kept.has(file_id)) await driver.delete(key);
      const ids = unsettled.map(({ id }) => id);
      await central.run(sql`DELETE FROM unsettled_files WHERE id = ANY(${ids}::uuid[])`);
      return unsettled.length;
    } catch (error) {
      log.warn({ err: error, files: unsettled.length }, 'could not delete files; will retry');
      return 0;
    }
  }

  async #link(
    key: string,
    type: string,
    { seconds, fileName }: { seconds: number; fileName: string },
  ): Promise<string> {
    const { driver, signsLinks } = await this.storage;
    const { config, secrets, now } = this.#options;
    if (signsLinks) {
      const contentDisposition = downloadHeader(fileName);
      return driver.getSignedUrl(key, { expiresIn: seconds, contentType: type, contentDisposition });
    }
    const expires = Math.floor(now().getTime() / 1_000) + seconds;
    return config.appUrl + signedPath(secrets, { key, type, name: fileName, expires });
  }
}

function storageKey(
  { tenantId, module }: Owner,
  { id, type, is_public }: Pick<FileRow, 'id' | 'type' | 'is_public'>,
): string {
  const scope = tenantId === undefined ? 'central' : `tenants/${tenantId}`;
  return is_public
    ? publicKey({ tenantId, module, name: `${id}.${extensions[type]}` })
    : `private/${scope}/${module}/${id}`;
}

/** The key of the public file at `/media/{tenant}/{module}/{name}`. */
export function publicKey({ tenantId, module, name }: Owner & { readonly name: string }): string {
  return `public/tenants/${tenantId}/${module}/${name}`;
}

async function findFile(db: Db, { module }: Owner, id: string): Promise<FileRow> {
  const file = isUuid(id)
    ? await db.row<FileRow>(
        sql`SELECT id, type, size, is_public FROM stored_files WHERE id = ${id} AND module = ${module}`,
      )
    : undefined;
  if (!file) throw fail('files.not_found');
  return file;
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

function sizeOf(content: Pick<Upload, 'size'> | Uint8Array): number {
  return 'size' in content ? content.size : content.length;
}

async function checkRoom(db: Db, { storageLimit }: Owner, size: number): Promise<void> {
  if (storageLimit == null) return;
  const row = await db.row<{ used: number }>(sql`SELECT coalesce(sum(size), 0)::float8 AS used FROM stored_files`);
  if ((row?.used ?? 0) + size > storageLimit * 1_000_000) throw fail('tenancy.storage_full', { limit: storageLimit });
}
