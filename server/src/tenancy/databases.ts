import { randomBytes } from 'node:crypto';
import { type Db, type Log, sql } from '@chowk/kit';
import { withConnection } from '../db/connection.ts';
import { fingerprint, type MigrationSource, migrate } from '../db/migrations.ts';
import {
  type Central,
  copyDatabase,
  databaseExists,
  dropDatabase,
  identifier,
  ifNobodyElse,
  oneAtATime,
  runAlone,
} from './central.ts';

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 60_000 };

/**
 * Makes tenant databases: copies of a template that holds every migration, which is built anew when any of them
 * changes. A few copies are kept spare, so that a new tenant costs a rename.
 */
export class TenantDatabases {
  readonly fingerprint: string;
  readonly sources: readonly MigrationSource[];
  readonly #central: Central;
  readonly #wantedSpares: number;
  readonly #log: Log;
  /** A tenant's database has every migration now: told in the transaction that writes this down. */
  readonly migrated: (db: Db, tenantId: string) => Promise<void>;
  #refilling: Promise<void> | undefined;

  constructor(
    central: Central,
    sources: readonly MigrationSource[],
    wantedSpares: number,
    log: Log,
    migrated: (db: Db, tenantId: string) => Promise<void> = async () => {},
  ) {
    this.fingerprint = fingerprint(sources);
    this.sources = sources;
    this.#central = central;
    this.#wantedSpares = wantedSpares;
    this.#log = log;
    this.migrated = migrated;
  }

  /** Renames a spare inside the caller's transaction on the central database. `false`: there is none. */
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

  /** Copies the template. A database of that name that an earlier, interrupted try has made is taken as it is. */
  async copyTemplate(name: string): Promise<void> {
    const template = await this.ensureTemplate();
    try {
      await this.#copy(template, name);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      if (await this.isOurs(name)) return;
      throw new Error(`the database ${name} exists already and belongs to something else`);
    }
  }

  /** Whether a database was made by this installation: the server may hold other installations' too. */
  async isOurs(name: string): Promise<boolean> {
    const { address, db } = this.#central;
    const [id, written] = await Promise.all([installationId(db), ownerWrittenOn(db, name)]);
    if (written) return written === ownerMark(id);
    // A copy that was interrupted, or a database from a backup, has only what it holds to say whose it is.
    const held = await withConnection(address, name, limits, async (connection) => {
      const { rows } = await connection.query<{ id: string | null }>(
        sql`SELECT to_regclass('public.chowk_installation')::text AS id`,
      );
      if (!rows[0]?.id) return undefined;
      return (await connection.query<{ id: string }>(sql`SELECT id FROM chowk_installation`)).rows[0]?.id;
    });
    return held === id;
  }

  /** The name of the template, built now if need be. */
  async ensureTemplate(): Promise<string> {
    const ready = await this.#readyTemplate();
    if (ready) return ready;
    return oneAtATime(this.#central, 'tenant template', async () => (await this.#readyTemplate()) ?? this.#build());
  }

  /** Brings the number of spares up to what is wanted, in the background; never fails. */
  refillSpares(): Promise<void> {
    this.#refilling ??= this.#refill()
      .catch((error: unknown) => this.#log.warn({ error }, 'could not prepare spare tenant databases'))
      .finally(() => {
        this.#refilling = undefined;
      });
    return this.#refilling;
  }

  /** Settles when nothing is being prepared. */
  async settled(): Promise<void> {
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
      await runAlone(this.#central, sql`CREATE DATABASE ${identifier(name)}`);
      await migrate(address, name, this.sources);
      const id = await installationId(db);
      await withConnection(address, name, limits, (connection) =>
        connection.script(`CREATE TABLE chowk_installation AS SELECT '${id}'::uuid AS id`),
      );
      // A connected session would make every copy wait.
      await runAlone(this.#central, sql`ALTER DATABASE ${identifier(name)} WITH ALLOW_CONNECTIONS false`);
    });
    await this.#dropOutdated();
    return name;
  }

  async #refill(): Promise<void> {
    if (this.#wantedSpares === 0) return;
    const template = await this.ensureTemplate();
    await ifNobodyElse(this.#central, 'tenant spares', async () => {
      await this.#dropHalfMadeSpares();
      while ((await this.#countSpares()) < this.#wantedSpares) {
        const name = `${this.#central.database}_spare_${randomBytes(6).toString('hex')}`;
        await this.#prepare(name, 'spare', () => this.#copy(template, name));
      }
    });
  }

  async #copy(template: string, name: string): Promise<void> {
    await copyDatabase(this.#central, template, name, ownerMark(await installationId(this.#central.db)));
  }

  /** The row comes first: what a crash leaves behind is known by name. */
  async #prepare(name: string, kind: 'template' | 'spare', make: () => Promise<void>): Promise<void> {
    const { db } = this.#central;
    await db.run(sql`
      INSERT INTO prepared_databases (name, kind, fingerprint) VALUES (${name}, ${kind}, ${this.fingerprint})
      ON CONFLICT (name) DO UPDATE SET ready = false`);
    await dropDatabase(this.#central, name);
    await make();
    await db.run(sql`UPDATE prepared_databases SET ready = true WHERE name = ${name}`);
  }

  async #countSpares(): Promise<number> {
    const row = await this.#central.db.row<{ count: number }>(sql`
      SELECT count(*) FROM prepared_databases WHERE kind = 'spare' AND ready AND fingerprint = ${this.fingerprint}`);
    return row?.count ?? 0;
  }

  async #dropHalfMadeSpares(): Promise<void> {
    await this.#drop(await this.#prepared(sql`kind = 'spare' AND NOT ready`));
  }

  /** Rings with other module versions have templates of their own; one that nobody has used for a week is no one's. */
  async #dropOutdated(): Promise<void> {
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

/** The name is taken, or somebody was quicker at taking it. */
function isDuplicate(error: unknown): boolean {
  return ['42P04', '23505'].includes((error as { code?: string }).code ?? '');
}

/** What this installation calls itself where it may share a server with others. */
export async function installationId(db: Db): Promise<string> {
  const row = await db.row<{ id: string }>(sql`SELECT id FROM installation`);
  if (!row) throw new Error('the central database does not say which installation it is');
  return row.id;
}

function ownerMark(installation: string): string {
  return `chowk ${installation}`;
}

async function ownerWrittenOn(db: Db, name: string): Promise<string | undefined> {
  const row = await db.row<{ mark: string | null }>(sql`
    SELECT shobj_description(oid, 'pg_database') AS mark FROM pg_database WHERE datname = ${name}`);
  return row?.mark?.startsWith('chowk ') ? row.mark : undefined;
}
