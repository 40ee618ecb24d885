import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { sql } from '@chowk/kit/kernel';
import { type Connection, withConnection } from '../db/connection.ts';
import { type MigrationSource, migrate } from '../db/migrations.ts';
import type { ServerAddress } from '../db/server-address.ts';
import { streamInTransaction } from '../db/stream.ts';
import { type JobQueues, type WaitingEntry, waitingTasks } from '../jobs/job-queues.ts';
import { loadTables } from '../tenancy/archive-load.ts';
import { archivedMigrations, type Manifest, Measure } from '../tenancy/archive-manifest.ts';
import { ArchiveReader, type ArchiveRules } from '../tenancy/archive-reader.ts';
import { copyLimits, readFileRows } from '../tenancy/archive-source.ts';
import { copyStatement, type Rules, readSequences, readTables, type Table } from '../tenancy/archive-tables.ts';
import { ArchiveWriter } from '../tenancy/archive-writer.ts';

/** What describes the database itself, and work on databases that a restored installation does not have. */
const centralRules: Rules = new Map([
  ['schema_migrations', { omit: true as const }],
  ['prepared_databases', { omit: true as const }],
  ['tenant_moves', { omit: true as const }],
  ['tenant_restores', { omit: true as const }],
  ['unsettled_files', { omit: true as const }],
]);

const archiveRules: ArchiveRules = {
  knownName: /^(manifest\.json|tasks\.jsonl|tables\/[a-z_][a-z0-9_]{0,62}\.copy)$/,
  maxEntries: 10_000,
  maxBytes: Infinity,
};

type CentralManifest = Pick<Manifest, 'migrations' | 'tables' | 'sequences' | 'omitted'>;

/** What a backup reads of the central database besides its rows. */
export interface CentralSnapshot {
  readonly connection: Connection;
  fileRows(): ReturnType<typeof readFileRows>;
}

/** Reads the central database in one snapshot. */
export function withCentralSnapshot<Result>(
  { address, database }: { readonly address: ServerAddress; readonly database: string },
  work: (snapshot: CentralSnapshot) => Promise<Result>,
): Promise<Result> {
  return withConnection(address, database, copyLimits, async (connection) => {
    await connection.script('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await connection.script('SET LOCAL idle_in_transaction_session_timeout = 0');
    return work({ connection, fileRows: () => readFileRows(connection) });
  });
}

/** Writes the rows of the central database and the tasks that wait in its queues. */
export async function writeCentralArchive({ connection }: CentralSnapshot, path: string): Promise<void> {
  const writer = await ArchiveWriter.open(path);
  try {
    const tables = [];
    for (const table of await readTables(connection)) {
      if (centralRules.get(table.name)?.omit) continue;
      const measure = new Measure();
      const rows = connection.copyOut(copyStatement(table, centralRules));
      await writer.add(`tables/${table.name}.copy`, measure.through(rows));
      tables.push({ name: table.name, columns: [...table.columns], ...measure.digest() });
    }
    await writer.add('tasks.jsonl', readTasks(connection));
    const { rows: migrations } = await connection.query<Manifest['migrations'][number]>(
      sql`SELECT owner, name, checksum FROM schema_migrations ORDER BY owner, name`,
    );
    const omitted = [...centralRules.keys()];
    const manifest: CentralManifest = { migrations, tables, sequences: await readSequences(connection), omitted };
    await writer.add('manifest.json', [Buffer.from(JSON.stringify(manifest))]);
    await writer.finish();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

async function* readTasks(connection: Connection): AsyncGenerator<Buffer> {
  const { rows } = await connection.query<{ found: boolean }>(
    sql`SELECT to_regclass('pgboss.job') IS NOT NULL AS found`,
  );
  if (!rows[0]?.found) return;
  const tasks = streamInTransaction((statement) => connection.query(statement), waitingTasks, new Set());
  for await (const task of tasks) yield Buffer.from(`${JSON.stringify(task)}\n`);
}

/** The archive of a central database. */
export class CentralArchive {
  readonly #reader: ArchiveReader;
  readonly manifest: CentralManifest;

  private constructor(reader: ArchiveReader, manifest: CentralManifest) {
    this.#reader = reader;
    this.manifest = manifest;
  }

  static async open(path: string): Promise<CentralArchive> {
    const reader = await ArchiveReader.open(path, { isLarge: true, rules: archiveRules });
    const manifest = JSON.parse(await reader.readText('manifest.json', 64 * 1_048_576)) as CentralManifest;
    return new CentralArchive(reader, manifest);
  }

  /** Reads everything. Throws if a table is not what the manifest describes. */
  async verify(): Promise<void> {
    for (const table of this.manifest.tables) await verifyRows(this.#reader.read(`tables/${table.name}.copy`), table);
    for await (const _ of this.#reader.read('tasks.jsonl'));
  }

  /** Loads the rows into an empty database, which then has the migrations of this version. */
  async load(
    place: { readonly address: ServerAddress; readonly database: string },
    known: readonly MigrationSource[],
    onProgress: (line: string) => void,
  ): Promise<void> {
    const { address, database } = place;
    await migrate(address, database, archivedMigrations(this.manifest, known));
    await withConnection(address, database, copyLimits, async (connection) => {
      await connection.script('BEGIN');
      await connection.script('SET LOCAL idle_in_transaction_session_timeout = 0');
      await loadTables(
        connection,
        {
          facts: this.manifest,
          rows: ({ name }: Table) => this.#reader.read(`tables/${name}.copy`),
        },
        centralRules,
        onProgress,
      );
      await connection.script('COMMIT');
      await connection.script('ANALYZE');
    });
    await migrate(address, database, known);
  }

  /** Adds the tasks that waited, of all rings. */
  async addTasks(jobs: JobQueues, scratch: string): Promise<number> {
    // By way of a file: lines may be cut between the blocks.
    await pipeline(this.#reader.read('tasks.jsonl'), createWriteStream(scratch, { mode: 0o600 }));
    let added = 0;
    try {
      for await (const line of createInterface({ input: createReadStream(scratch), crlfDelay: Infinity })) {
        const { queue, entry } = JSON.parse(line) as { queue: string; entry: WaitingEntry };
        await jobs.addWaiting(queue, entry);
        added += 1;
      }
    } finally {
      await rm(scratch, { force: true });
    }
    return added;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}

interface ExpectedTable {
  readonly name: string;
  readonly sha256: string;
  readonly rows: number;
}

/** Throws if the rows of a table are not what the manifest describes. */
export async function verifyRows(
  content: AsyncIterable<Uint8Array>,
  { name, sha256, rows }: ExpectedTable,
): Promise<void> {
  const measure = new Measure();
  for await (const _ of measure.through(content));
  const digest = measure.digest();
  if (digest.sha256 !== sha256 || digest.rows !== rows) throw new Error(`the table ${name} is damaged`);
}
