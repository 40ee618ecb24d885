import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from '@chowk/kit';
import { type Connection, withConnection } from './connection.ts';
import type { ServerAddress } from './server-address.ts';

/** The numbered SQL files of one owner: the kernel or a module. */
export interface MigrationSource {
  readonly owner: string;
  readonly migrations: readonly Migration[];
}

interface Migration {
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

export interface MigrationResult {
  readonly applied: readonly string[];
  readonly skipped: number;
}

interface LedgerRow {
  owner: string;
  name: string;
  checksum: string;
}

/** Any number will do as long as nothing else in the same database locks it. */
const lockKey = 6_318_601;

/** A migration may rewrite a large table, or wait for another process that does. */
const migrationLimits = { connectTimeoutMs: 5_000, queryTimeoutMs: 60 * 60_000 };

const ledger = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    owner text NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, name)
  )`;

export async function readMigrations(owner: string, folder: string): Promise<MigrationSource> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const wrong = names.find((name, index) => Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]) !== index + 1);
  if (wrong) throw new Error(`${join(folder, wrong)}: migrations are named 0001_what_it_does.sql and numbered in turn`);
  const migrations = names.map(async (name) => {
    const text = await readFile(join(folder, name), 'utf8');
    return { name, text, checksum: sha256(text) };
  });
  return { owner, migrations: await Promise.all(migrations) };
}

/** Changes whenever any migration of any source is added or changed. */
export function fingerprint(sources: readonly MigrationSource[]): string {
  const lines = sources.flatMap(({ owner, migrations }) => migrations.map((m) => `${owner}/${m.name} ${m.checksum}`));
  return sha256(lines.sort().join('\n')).slice(0, 12);
}

/**
 * Brings a database up to date, each migration in a transaction of its own. Safe to run from many processes at once:
 * they take turns, and the later ones find nothing left to do.
 */
export async function migrate(
  address: ServerAddress,
  database: string,
  sources: readonly MigrationSource[],
): Promise<MigrationResult> {
  return withConnection(address, database, migrationLimits, async (connection) => {
    await connection.query(sql`SELECT pg_advisory_lock(${lockKey})`);
    await connection.script(ledger);
    const { rows } = await connection.query<LedgerRow>(sql`SELECT owner, name, checksum FROM schema_migrations`);
    const known = new Map(rows.map(({ owner, name, checksum }) => [`${owner}/${name}`, checksum]));
    const wanted = sources.flatMap(({ owner, migrations }) =>
      migrations.map((migration) => ({ ...migration, owner, id: `${owner}/${migration.name}` })),
    );
    // All are checked before the first is applied.
    const changed = wanted.find(({ id, checksum }) => known.has(id) && known.get(id) !== checksum);
    if (changed) throw new Error(`migration ${changed.id} was changed after it was applied; add a new one instead`);
    const missing = wanted.filter(({ id }) => !known.has(id));
    for (const migration of missing) await apply(connection, migration);
    return { applied: missing.map(({ id }) => id), skipped: wanted.length - missing.length };
  });
}

async function apply(
  connection: Connection,
  { owner, name, text, checksum }: Migration & { owner: string },
): Promise<void> {
  await connection.script('BEGIN');
  try {
    await connection.script(text);
    if (connection.usable) throw new Error('it ends the transaction that it runs in');
    await connection.query(
      sql`INSERT INTO schema_migrations (owner, name, checksum) VALUES (${owner}, ${name}, ${checksum})`,
    );
    await connection.script('COMMIT');
  } catch (cause) {
    await connection.script('ROLLBACK').catch(() => {});
    throw new Error(`migration ${owner}/${name} failed: ${(cause as Error).message}`, { cause });
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
