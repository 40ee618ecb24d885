import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '@chowk/kit/kernel';
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

/** The advisory lock of the process that changes the schema. Arbitrary, but unique among the locks of a database. */
export const migrationLock = 6_318_601;

/** A migration may rewrite a large table. */
const migrationLimits = { connectTimeoutMs: 5_000, queryTimeoutMs: 60 * 60_000 };

/** While a migration waits for the lock of a table, everything else that uses the table waits behind it. */
const lockTimeoutMs = 300;
const lockAttempts = 200;
const longestPauseMs = 2_000;

/** The first line of a file with one `CREATE INDEX CONCURRENTLY`. */
const concurrentMark = /^-- outside a transaction\b/i;

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
  const misnamed = names.find((name, index) => Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]) !== index + 1);
  if (misnamed) {
    throw new Error(`${join(folder, misnamed)}: migrations are named 0001_what_it_does.sql and numbered without gaps`);
  }
  const migrations = names.map(async (name) => {
    const text = await readFile(join(folder, name), 'utf8');
    return { name, text, checksum: sha256(text) };
  });
  return { owner, migrations: await Promise.all(migrations) };
}

/** Identifies each migration and its content. */
export function migrationIds(sources: readonly MigrationSource[]): string[] {
  return sources.flatMap(({ owner, migrations }) =>
    migrations.map(({ name, checksum }) => `${owner}/${name} ${sha256(checksum).slice(0, 12)}`),
  );
}

/** Changes when a migration of any source is added or changed. */
export function fingerprint(sources: readonly MigrationSource[]): string {
  return sha256(migrationIds(sources).sort().join('\n')).slice(0, 12);
}

/**
 * Applies the missing migrations, each in its own transaction. Safe to run from many processes at once: an advisory lock
 * serializes them.
 */
export async function migrate(
  address: ServerAddress,
  database: string,
  sources: readonly MigrationSource[],
): Promise<MigrationResult> {
  return withConnection(address, database, migrationLimits, async (connection) => {
    await waitForMigrationLock(connection);
    await connection.script(ledger);
    const { rows } = await connection.query<LedgerRow>(sql`SELECT owner, name, checksum FROM schema_migrations`);
    const appliedChecksums = new Map(rows.map(({ owner, name, checksum }) => [`${owner}/${name}`, checksum]));
    const migrations = sources.flatMap(({ owner, migrations: own }) =>
      own.map((migration) => ({ ...migration, owner, id: `${owner}/${migration.name}` })),
    );
    const changed = migrations.find(({ id, checksum }) => (appliedChecksums.get(id) ?? checksum) !== checksum);
    if (changed) throw new Error(`migration ${changed.id} was changed after it was applied; add a new one instead`);
    const missing = migrations.filter(({ id }) => !appliedChecksums.has(id));
    for (const migration of missing) await applyMigration(connection, migration);
    return { applied: missing.map(({ id }) => id), skipped: migrations.length - missing.length };
  });
}

/** Throws unless all migrations are applied. Changes nothing. */
export async function requireMigrated(
  address: ServerAddress,
  database: string,
  sources: readonly MigrationSource[],
): Promise<void> {
  const applied = await withConnection(address, database, migrationLimits, async (connection) => {
    const { rows } = await connection.query<{ id: string }>(
      sql`SELECT owner || '/' || name AS id FROM schema_migrations`,
    );
    return new Set(rows.map(({ id }) => id));
  }).catch((error: { code?: string }) => {
    if (error.code === '42P01')
      throw new Error("the platform is not set up; run 'chowkd install' or 'chowkd migrate' first");
    throw error;
  });
  const missing = sources.flatMap(({ owner, migrations }) =>
    migrations.map(({ name }) => `${owner}/${name}`).filter((id) => !applied.has(id)),
  );
  if (missing.length === 0) return;
  throw new Error(
    `the central database lacks migrations of this version (${missing[0]}, …); run 'chowkd migrate' first`,
  );
}

/** Whether the migration is a `CREATE INDEX CONCURRENTLY`, which cannot be part of a transaction. */
export function isConcurrent(text: string): boolean {
  return concurrentMark.test(text);
}

/** Asks again and again: a statement that waits would keep another process from building an index concurrently. */
async function waitForMigrationLock(connection: Connection): Promise<void> {
  for (;;) {
    const { rows } = await connection.query<{ locked: boolean }>(
      sql`SELECT pg_try_advisory_lock(${migrationLock}) AS locked`,
    );
    if (rows[0]?.locked) return;
    await delay(100);
  }
}

interface OwnedMigration extends Migration {
  readonly owner: string;
}

async function applyMigration(connection: Connection, migration: OwnedMigration): Promise<void> {
  const apply = isConcurrent(migration.text) ? buildIndex : applyInTransaction;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await apply(connection, migration);
    } catch (cause) {
      const isLocked = ['55P03', '40P01'].includes((cause as { code?: string }).code ?? '');
      if (!isLocked || attempt === lockAttempts) {
        const hint = isLocked ? '; end the transaction that holds the lock (pg_stat_activity) and try again' : '';
        throw new Error(`migration ${migration.owner}/${migration.name} failed: ${(cause as Error).message}${hint}`, {
          cause,
        });
      }
      await delay(Math.random() * Math.min(longestPauseMs, 100 * 2 ** attempt));
    }
  }
}

async function applyInTransaction(connection: Connection, migration: OwnedMigration): Promise<void> {
  await connection.script('BEGIN');
  try {
    await connection.script(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    await connection.script(migration.text);
    if (connection.isUsable) throw new Error('it ends its own transaction; remove COMMIT or ROLLBACK');
    await recordApplied(connection, migration);
    await connection.script('COMMIT');
  } catch (error) {
    await connection.script('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** An attempt that was interrupted leaves an index that is not valid. */
async function buildIndex(connection: Connection, migration: OwnedMigration): Promise<void> {
  const [, index = ''] = /CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+([a-z0-9_]+)/i.exec(migration.text) ?? [];
  const { rows } = await connection.query<{ valid: boolean }>(sql`
    SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass(${`public.${index}`})`);
  if (rows[0]?.valid === false) await connection.script(`DROP INDEX ${index}`);
  if (rows[0]?.valid !== true) await connection.script(migration.text);
  await recordApplied(connection, migration);
}

async function recordApplied(connection: Connection, { owner, name, checksum }: OwnedMigration): Promise<void> {
  await connection.query(
    sql`INSERT INTO schema_migrations (owner, name, checksum) VALUES (${owner}, ${name}, ${checksum})`,
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
