import { raw, sql } from '@chowk/kit/kernel';
import { type Connection, withConnection } from '../db/connection.ts';
import type { ServerAddress } from '../db/server-address.ts';
import { streamInTransaction } from '../db/stream.ts';
import { version } from '../version.ts';
import { formatVersion, type Manifest, maxManifestSize, readManifest } from './archive-manifest.ts';
import { ArchiveReader } from './archive-reader.ts';
import type { ArchiveServices, FileRow } from './archive-services.ts';
import { archivedTables, copyStatement, readSequences, readTables, type Table } from './archive-tables.ts';
import type { TenantServer } from './central-database.ts';
import { installationId } from './tenant-databases.ts';

/** A large table takes long; a lost server is noticed by its keepalives. */
export const copyLimits = { connectTimeoutMs: 5_000, queryTimeoutMs: 24 * 3_600_000 };

export type Facts = Omit<Manifest, 'tables' | 'files'> & { readonly tables: readonly Table[] };

export interface ArchivedFile {
  readonly id: string;
  readonly module: string;
  /** `undefined` if it was deleted meanwhile. */
  readonly content: AsyncIterable<Uint8Array> | undefined;
}

/** Tables of a database with their rows. */
export interface TableSource {
  readonly facts: Pick<Facts, 'tables' | 'sequences' | 'omitted'>;
  /** The rows of a table in the text format of COPY. */
  rows(table: Table): AsyncIterable<Uint8Array>;
}

/** The data of a tenant: its archive, or its database as it is now. */
export interface TenantSource extends TableSource {
  readonly facts: Facts;
  files(): AsyncIterable<ArchivedFile>;
}

/** A tenant at one moment, with the rows of its files. */
export interface Snapshot extends TenantSource {
  fileRows(): AsyncIterable<FileRow>;
}

/** Where the database of a tenant is. */
export async function locate({ central, databases }: ArchiveServices, tenantId: string): Promise<Location> {
  const row = await central.db.row<{ database: string }>(
    sql`SELECT database_name AS database FROM tenants WHERE id = ${tenantId}`,
  );
  if (!row) throw new Error(`there is no tenant ${tenantId}`);
  return { server: await databases.getServer(tenantId), database: row.database };
}

/** Reads a tenant in one snapshot. */
export async function withSnapshot<Result>(
  services: ArchiveServices,
  tenantId: string,
  work: (source: Snapshot) => Promise<Result>,
): Promise<Result> {
  await tenantRow(services, tenantId);
  const { server, database } = await locate(services, tenantId);
  return withSnapshotAt(services, tenantId, { address: server.address, database }, work);
}

interface SnapshotPlace {
  readonly address: ServerAddress;
  readonly database: string;
}

/** Reads a tenant from a database that may be on a server of another time, such as one restored from a backup. */
export function withSnapshotAt<Result>(
  services: ArchiveServices,
  tenantId: string,
  { address, database }: SnapshotPlace,
  work: (source: Snapshot) => Promise<Result>,
): Promise<Result> {
  const { files, rules } = services;
  return withConnection(address, database, copyLimits, async (connection) => {
    await connection.script('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // The storage may be slow between two rows.
    await connection.script('SET LOCAL idle_in_transaction_session_timeout = 0');
    const facts = await readFacts(services, tenantId, connection);
    const fileRows = () => readFileRows(connection, rules.get('stored_files')?.where);
    return work({
      facts,
      rows: (table) => connection.copyOut(copyStatement(table, rules)),
      fileRows,
      async *files() {
        for await (const file of fileRows()) {
          yield { id: file.id, module: file.module, content: await files.readContent(tenantId, file) };
        }
      },
    });
  });
}

/** The rows of the files that a database refers to, in the current transaction. */
export function readFileRows(connection: Connection, condition = 'true'): AsyncGenerator<FileRow> {
  return streamInTransaction<FileRow>(
    (statement) => connection.query(statement),
    sql`SELECT id, module, type, size, is_public FROM stored_files WHERE ${raw(condition)} ORDER BY module, id`,
    new Set(),
  );
}

export interface OpenArchive extends TenantSource {
  readonly manifest: Manifest;
  close(): Promise<void>;
}

export async function openArchive(path: string, options: { isLarge?: boolean } = {}): Promise<OpenArchive> {
  const reader = await ArchiveReader.open(path, options);
  try {
    const manifest = readManifest(await reader.readText('manifest.json', maxManifestSize));
    return {
      manifest,
      facts: manifest,
      rows: ({ name }) => reader.read(`tables/${name}.copy`),
      async *files() {
        for (const entry of reader.entries.keys()) {
          const [kind, module, id] = entry.split('/');
          if (kind === 'files' && module && id) yield { module, id, content: reader.read(entry) };
        }
      },
      close: () => reader.close(),
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** A database on a server. */
export interface Location {
  readonly server: TenantServer;
  readonly database: string;
}

interface TenantRow {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly status: string;
  readonly created_at: string;
}

async function tenantRow({ central }: ArchiveServices, tenantId: string): Promise<TenantRow> {
  const row = await central.db.row<TenantRow>(sql`
    SELECT id, name, role, status, created_at FROM tenants
    WHERE id = ${tenantId} AND status IN ('active', 'suspended')`);
  if (!row) throw new Error(`${tenantId} is neither active nor suspended; see 'chowkd tenant:show ${tenantId}'`);
  return row;
}

async function readFacts(services: ArchiveServices, tenantId: string, connection: Connection): Promise<Facts> {
  const { central, rules, teams } = services;
  const { db } = central;
  const tables = await readTables(connection);
  const settings = await db.rows<{ key: string; value: unknown }>(
    sql`SELECT key, value FROM tenant_settings WHERE tenant_id = ${tenantId} ORDER BY key`,
  );
  const { rows: migrations } = await connection.query<Manifest['migrations'][number]>(
    sql`SELECT owner, name, checksum FROM schema_migrations ORDER BY owner, name`,
  );
  const names = tables.map(({ name }) => name);
  return {
    format: formatVersion,
    platform: version,
    created_at: services.now().toISOString(),
    installation: await installationId(db),
    tenant: await tenantRow(services, tenantId),
    domains: await db.rows(sql`SELECT domain, kind FROM domains WHERE tenant_id = ${tenantId} ORDER BY domain`),
    settings: Object.fromEntries(settings.map(({ key, value }) => [key, value])),
    modules: await db.rows(
      sql`SELECT alias, status FROM module_installations WHERE tenant_id = ${tenantId} ORDER BY alias`,
    ),
    team: await teams.exportTeam(tenantId),
    migrations,
    tables: archivedTables(tables, rules),
    sequences: await readSequences(connection),
    omitted: names.filter((name) => rules.get(name)?.omit !== undefined),
    sealed: names.flatMap((table) => {
      const { sealed } = rules.get(table) ?? {};
      return sealed ? [{ table, columns: [...sealed.columns] }] : [];
    }),
  };
}
