import { randomBytes } from 'node:crypto';
import { type Db, type Log, sql } from '@chowk/kit';
import { withConnection } from '../db/connection.ts';
import { fingerprint, type MigrationSource, migrate, migrationIds } from '../db/migrations.ts';
import {
  type Central,
  copyDatabase,
  databaseExists,
  dropDatabase,
  identifier,
  runExclusively,
  runIfUnlocked,
  runOutsideTransaction,
} from './central-database.ts';

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 60_000 };

/**
 * Creates tenant databases by copying a template with all migrations applied. The template is rebuilt when a migration
 * changes. Spare copies are prepared in advance, so that creating a tenant only renames one.
 */
export class TenantDatabases {
  readonly fingerprint: string;
  readonly sources: readonly MigrationSource[];
  readonly migrationIds: readonly string[];
  readonly #central: Central;
  readonly #spareCount: number;
  readonly #log: Log;
  /** Called when all migrations are applied to a tenant's database, in the transaction that records it. */
  readonly onMigrated: (db: Db, tenantId: string) => Promise<void>;
  #refilling: Promise<void> | undefined;

  constructor(
    central: Central,
    sources: readonly MigrationSource[],
    spareCount: number,
    log: Log,
    onMigrated: (db: Db, tenantId: string) => Promise<void> = async () => {},
  ) {
    this.fingerprint = fingerprint(sources);
    this.sources = sources;
    this.migrationIds = migrationIds(sources);
    this.#central = central;
    this.#spareCount = spareCount;
    this.#log = log;
    this.onMigrated = onMigrated;
  }

  /** Renames a spare in the caller's transaction on the central database. Returns `false` if there is none. */
  async claimSpare(tx: Db, name: string): Promise<boolean> {
    const spare = await tx.row<{ name: string }>(sql`
      DELETE FROM prepared_databases WHERE name = (
        SELECT name FROM prepared_databases
        WHERE kind = 'spare' AND ready AND fingerprint = ${this.fingerprint}
        ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING name`);
    if (!spare) return false;
    await tx.run(sql`ALTER DATABASE ${identifier(spare.name)} RENAME TO ${identifier(name)}`);
    return true;
  }

  /** Copies the template. A database that an earlier, interrupted attempt has created is reused. */
  async copyTemplate(name: string): Promise<void> {
    const template = await this.ensureTemplate();
    try {
      await this.#copy(template, name);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      if (await this.isOurs(name)) return;
      throw new Error(
        `the database ${name} already exists and does not belong to this installation; choose another id`,
      );
    }
  }

  /** Whether this installation created the database. Several installations may share a server. */
  async isOurs(name: string): Promise<boolean> {
    const { address, db } = this.#central;
    const [id, mark] = await Promise.all([installationId(db), ownerMarkOf(db, name)]);
    if (mark) return mark === ownerMark(id);
    // An interrupted copy, or a database restored from a backup, has no comment.
    const storedId = await withConnection(address, name, limits, async (connection) => {
      const { rows } = await connection.query<{ id: string | null }>(
        sql`SELECT to_regclass('public.chowk_installation')::text AS id`,
      );
      if (!rows[0]?.id) return undefined;
      return (await connection.query<{ id: string }>(sql`SELECT id FROM chowk_installation`)).rows[0]?.id;
    });
    return storedId === id;
  }

  /** The name of the template, which is built if it does not exist. */
  async ensureTemplate(): Promise<string> {
    const ready = await this.#readyTemplate();
    if (ready) return ready;
    return runExclusively(this.#central, 'tenant template', async () => (await this.#readyTemplate()) ?? this.#build());
  }

  /** Creates missing spares. Logs errors and never rejects. */
  refillSpares(): Promise<void> {
    this.#refilling ??= this.#refill()
      .catch((error: unknown) => this.#log.warn({ error }, 'could not prepare spare tenant databases'))
      .finally(() => {
        this.#refilling = undefined;
      });
    return this.#refilling;
  }

  /** Resolves when a refill in progress is finished. */
  async waitForRefill(): Promise<void> {
    await this.#refilling;
  }

  async #readyTemplate(): Promise<string | undefined> {
    const row = await this.#central.db.row<{ name: string }>(sql`
      UPDATE prepared_databases SET used_at = now()
      WHERE kind = 'template' AND ready AND fingerprint = ${this.fingerprint} RETURNING name`);
    return row?.name;
  }

  async #build(): Promise<string> {
    const { db, address, database } = this.#central;
    const name = `${database}_template_${this.fingerprint}`;
    await this.#prepare(name, 'template', async () => {
      await runOutsideTransaction(this.#central, sql`CREATE DATABASE ${identifier(name)}`);
      await migrate(address, name, this.sources);
      const id = await installationId(db);
      await withConnection(address, name, limits, (connection) =>
        connection.script(`CREATE TABLE chowk_installation AS SELECT '${id}'::uuid AS id`),
      );
      // PostgreSQL cannot copy a template that a session is connected to.
      await runOutsideTransaction(this.#central, sql`ALTER DATABASE ${identifier(name)} WITH ALLOW_CONNECTIONS false`);
    });
    await this.#dropUnused();
    return name;
  }

  async #refill(): Promise<void> {
    if (this.#spareCount === 0) return;
    const template = await this.ensureTemplate();
    await runIfUnlocked(this.#central, 'tenant spares', async () => {
      await this.#dropIncompleteSpares();
      while ((await this.#countSpares()) < this.#spareCount) {
        const name = `${this.#central.database}_spare_${randomBytes(6).toString('hex')}`;
        await this.#prepare(name, 'spare', () => this.#copy(template, name));
      }
    });
  }

  async #copy(template: string, name: string): Promise<void> {
    await copyDatabase(this.#central, template, name, ownerMark(await installationId(this.#central.db)));
  }

  /** Inserts the row first, so that an incomplete database is known by name after a crash. */
  async #prepare(name: string, kind: 'template' | 'spare', create: () => Promise<void>): Promise<void> {
    const { db } = this.#central;
    await db.run(sql`
      INSERT INTO prepared_databases (name, kind, fingerprint) VALUES (${name}, ${kind}, ${this.fingerprint})
      ON CONFLICT (name) DO UPDATE SET ready = false`);
    await dropDatabase(this.#central, name);
    await create();
    await db.run(sql`UPDATE prepared_databases SET ready = true WHERE name = ${name}`);
  }

  async #countSpares(): Promise<number> {
    const row = await this.#central.db.row<{ count: number }>(sql`
      SELECT count(*) FROM prepared_databases WHERE kind = 'spare' AND ready AND fingerprint = ${this.fingerprint}`);
    return row?.count ?? 0;
  }

  async #dropIncompleteSpares(): Promise<void> {
    await this.#drop(await this.#prepared(sql`kind = 'spare' AND NOT ready`));
  }

  /** Rings may use different templates; one that was not used for a week is dropped. */
  async #dropUnused(): Promise<void> {
    await this.#drop(
      await this.#prepared(sql`fingerprint IN (
        SELECT fingerprint FROM prepared_databases WHERE kind = 'template' AND used_at < now() - interval '7 days')`),
    );
  }

  async #prepared(condition: ReturnType<typeof sql>): Promise<string[]> {
    const rows = await this.#central.db.rows<{ name: string }>(
      sql`SELECT name FROM prepared_databases WHERE ${condition}`,
    );
    return rows.map(({ name }) => name);
  }

  async #drop(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await dropDatabase(this.#central, name);
      await this.#central.db.run(sql`DELETE FROM prepared_databases WHERE name = ${name}`);
    }
  }

  exists(name: string): Promise<boolean> {
    return databaseExists(this.#central, name);
  }

  drop(name: string): Promise<void> {
    return dropDatabase(this.#central, name);
  }
}

/** Whether the database exists, or another session is creating it. */
function isDuplicate(error: unknown): boolean {
  return ['42P04', '23505'].includes((error as { code?: string }).code ?? '');
}

/** The id of this installation, which marks its databases on a shared server. */
export async function installationId(db: Db): Promise<string> {
  const row = await db.row<{ id: string }>(sql`SELECT id FROM installation`);
  if (!row)
    throw new Error('the central database has no installation id; restore the table installation from a backup');
  return row.id;
}

function ownerMark(installation: string): string {
  return `chowk ${installation}`;
}

async function ownerMarkOf(db: Db, name: string): Promise<string | undefined> {
  const row = await db.row<{ mark: string | null }>(sql`
    SELECT shobj_description(oid, 'pg_database') AS mark FROM pg_database WHERE datname = ${name}`);
  return row?.mark?.startsWith('chowk ') ? row.mark : undefined;
}
