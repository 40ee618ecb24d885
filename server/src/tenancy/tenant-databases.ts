import { randomBytes } from 'node:crypto';
import { type Db, type Log, sql } from '@chowk/kit/kernel';
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
  type TenantServer,
} from './central-database.ts';
import { findUnreachable, placeTenant, requireServer } from './servers.ts';

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 60_000 };

/**
 * Creates tenant databases by copying a template with all migrations applied. The template is rebuilt when a migration
 * changes. Spare copies are prepared in advance, so that creating a tenant only renames one. Each server has its own.
 */
export class TenantDatabases {
  readonly fingerprint: string;
  readonly sources: readonly MigrationSource[];
  readonly migrationIds: readonly string[];
  readonly #central: Central;
  readonly #main: TenantServer;
  readonly #spareCount: number;
  readonly #log: Log;
  /** Called when all migrations are applied to a tenant's database, in the transaction that records it. */
  readonly onMigrated: (db: Db, tenantId: string) => Promise<void>;
  readonly #refilling = new Map<string, Promise<void>>();

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
    this.#main = central.servers[0];
    this.#spareCount = spareCount;
    this.#log = log;
    this.onMigrated = onMigrated;
  }

  get servers(): Central['servers'] {
    return this.#central.servers;
  }

  /** The server for a new tenant. */
  place(): Promise<TenantServer> {
    return placeTenant(this.#central);
  }

  /** The server that the tenant's row names. */
  async getServer(tenantId: string): Promise<TenantServer> {
    const row = await this.#central.db.row<{ name: string }>(
      sql`SELECT database_server AS name FROM tenants WHERE id = ${tenantId}`,
    );
    if (!row) throw new Error(`there is no tenant ${tenantId}`);
    return requireServer(this.#central, row.name);
  }

  /**
   * Renames a spare in the caller's transaction on the central database. Returns `false` if there is none, or if the server
   * is another one, where the rename could not be undone with the transaction.
   */
  async claimSpare(tx: Db, name: string, server: TenantServer = this.#main): Promise<boolean> {
    const spare = server === this.#main ? await this.#takeSpare(tx, server) : undefined;
    if (spare === undefined) return false;
    await tx.run(sql`ALTER DATABASE ${identifier(spare)} RENAME TO ${identifier(name)}`);
    return true;
  }

  /** Creates the database of a tenant whose row exists. One that an interrupted attempt has created is used. */
  async create(name: string, server: TenantServer): Promise<void> {
    if (await this.exists(name, server)) return this.#requireUnfinished(name, server);
    try {
      if (!(await this.#renameSpare(name, server))) await this.#copy(await this.ensureTemplate(server), name, server);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      await this.#requireUnfinished(name, server);
    }
  }

  /** Copies the template. Throws if the database exists: it may have the data of another tenant. */
  async copyTemplate(name: string, server: TenantServer = this.#main): Promise<void> {
    const template = await this.ensureTemplate(server);
    try {
      await this.#copy(template, name, server);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      throw alreadyExists(name);
    }
  }

  /** Records whose database it is. One without the table belongs to an older version, and is migrated. */
  async markTenant(name: string, server: TenantServer, tenantId: string): Promise<void> {
    await withConnection(server.address, name, limits, (connection) =>
      connection.query(sql`INSERT INTO tenant_identity VALUES (${tenantId}) ON CONFLICT DO NOTHING`),
    ).catch((error: { code?: string }) => {
      if (error.code !== '42P01') throw error;
    });
  }

  /** Whether this installation created the database. Several installations may share a server. */
  async isOurs(name: string, server: TenantServer = this.#main): Promise<boolean> {
    const [id, mark] = await Promise.all([installationId(this.#central.db), readOwnerMark(server.db, name)]);
    if (mark) return mark === ownerMark(id);
    // An interrupted copy, or a database restored from a backup, has no comment.
    const storedId = await withConnection(server.address, name, limits, async (connection) => {
      const { rows } = await connection.query<{ id: string | null }>(
        sql`SELECT to_regclass('public.chowk_installation')::text AS id`,
      );
      if (!rows[0]?.id) return undefined;
      return (await connection.query<{ id: string }>(sql`SELECT id FROM chowk_installation`)).rows[0]?.id;
    });
    return storedId === id;
  }

  /** The name of the template on a server, which is built if it does not exist. */
  async ensureTemplate(server: TenantServer = this.#main): Promise<string> {
    const ready = await this.#readyTemplate(server);
    if (ready) return ready;
    const lock = `tenant template ${server.name}`;
    return runExclusively(
      this.#central,
      lock,
      async () => (await this.#readyTemplate(server)) ?? this.#buildTemplate(server),
    );
  }

  /** Builds missing templates on the servers that get new tenants. Returns those that could not be reached. */
  async ensureTemplates(): Promise<string[]> {
    const servers = this.servers.filter(({ weight }) => weight > 0);
    const unreachable = await findUnreachable(servers);
    for (const server of servers) if (!unreachable.has(server.name)) await this.ensureTemplate(server);
    return [...unreachable.keys()];
  }

  /** Creates missing spares on every server that gets new tenants. Logs errors and never rejects. */
  async refillSpares(): Promise<void> {
    const servers = this.servers.filter(({ weight }) => weight > 0);
    await Promise.all(servers.map((server) => this.#refillOnce(server)));
  }

  /** Resolves when a refill in progress is finished. */
  async waitForRefill(): Promise<void> {
    await Promise.all(this.#refilling.values());
  }

  /** A server that is down does not hold up the others. */
  #refillOnce(server: TenantServer): Promise<void> {
    const running = this.#refilling.get(server.name);
    if (running) return running;
    const refill = this.#refill(server)
      .catch((error: unknown) =>
        this.#log.warn({ err: error, server: server.name }, 'could not prepare spare tenant databases'),
      )
      .finally(() => this.#refilling.delete(server.name));
    this.#refilling.set(server.name, refill);
    return refill;
  }

  /** A database is reused only for the tenant that it was created for: its row was inserted before, when there was none. */
  async #requireUnfinished(name: string, server: TenantServer): Promise<void> {
    const row = await this.#central.db.row(sql`
      SELECT FROM tenants WHERE database_name = ${name} AND database_server = ${server.name} AND status IN ('creating', 'active')`);
    if (!row || !(await this.isOurs(name, server))) throw alreadyExists(name);
  }

  async #takeSpare(tx: Db, server: TenantServer): Promise<string | undefined> {
    const spare = await tx.row<{ name: string }>(sql`
      DELETE FROM prepared_databases WHERE (server, name) = (
        SELECT server, name FROM prepared_databases
        WHERE server = ${server.name} AND kind = 'spare' AND ready AND fingerprint = ${this.fingerprint}
        ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING name`);
    return spare?.name;
  }

  /** On another server the rename is not part of the transaction, so the row of a spare may outlive it. */
  async #renameSpare(name: string, server: TenantServer): Promise<boolean> {
    if (server === this.#main) return this.#central.db.tx((tx) => this.claimSpare(tx, name));
    const renamed = await this.#central.db.tx(async (tx) => {
      const spare = await this.#takeSpare(tx, server);
      if (spare === undefined) return 'none';
      return server.db.run(sql`ALTER DATABASE ${identifier(spare)} RENAME TO ${identifier(name)}`).then(
        () => 'renamed',
        (error: { code?: string }) => {
          if (error.code === '3D000') return 'missing';
          throw error;
        },
      );
    });
    return renamed === 'missing' ? this.#renameSpare(name, server) : renamed === 'renamed';
  }

  async #readyTemplate({ name: server }: TenantServer): Promise<string | undefined> {
    const row = await this.#central.db.row<{ name: string }>(sql`
      UPDATE prepared_databases SET used_at = now()
      WHERE server = ${server} AND kind = 'template' AND ready AND fingerprint = ${this.fingerprint} RETURNING name`);
    return row?.name;
  }

  async #buildTemplate(server: TenantServer): Promise<string> {
    const { db, database } = this.#central;
    const name = `${database}_template_${this.fingerprint}`;
    await this.#prepare(name, 'template', server, async () => {
      await runOutsideTransaction(server, sql`CREATE DATABASE ${identifier(name)}`);
      await migrate(server.address, name, this.sources);
      const id = await installationId(db);
      await withConnection(server.address, name, limits, (connection) =>
        connection.script(`CREATE TABLE chowk_installation AS SELECT '${id}'::uuid AS id`),
      );
      // PostgreSQL cannot copy a template that a session is connected to.
      await runOutsideTransaction(server, sql`ALTER DATABASE ${identifier(name)} WITH ALLOW_CONNECTIONS false`);
    });
    await this.#dropUnused(server);
    return name;
  }

  async #refill(server: TenantServer): Promise<void> {
    if (this.#spareCount === 0) return;
    const template = await this.ensureTemplate(server);
    await runIfUnlocked(this.#central, `tenant spares ${server.name}`, async () => {
      await this.#dropPrepared(server, sql`kind = 'spare' AND NOT ready`);
      while ((await this.#countSpares(server)) < this.#spareCount) {
        const name = `${this.#central.database}_spare_${randomBytes(6).toString('hex')}`;
        await this.#prepare(name, 'spare', server, () => this.#copy(template, name, server));
      }
    });
  }

  async #copy(template: string, name: string, server: TenantServer): Promise<void> {
    await copyDatabase(server, template, name, ownerMark(await installationId(this.#central.db)));
  }

  /** Inserts the row first, so that an incomplete database is known by name after a crash. */
  async #prepare(
    name: string,
    kind: 'template' | 'spare',
    server: TenantServer,
    create: () => Promise<void>,
  ): Promise<void> {
    const { db } = this.#central;
    await db.run(sql`
      INSERT INTO prepared_databases (server, name, kind, fingerprint)
      VALUES (${server.name}, ${name}, ${kind}, ${this.fingerprint})
      ON CONFLICT (server, name) DO UPDATE SET ready = false`);
    await dropDatabase(server, name);
    await create();
    await db.run(sql`UPDATE prepared_databases SET ready = true WHERE server = ${server.name} AND name = ${name}`);
  }

  async #countSpares({ name: server }: TenantServer): Promise<number> {
    const row = await this.#central.db.row<{ count: number }>(sql`
      SELECT count(*) FROM prepared_databases
      WHERE server = ${server} AND kind = 'spare' AND ready AND fingerprint = ${this.fingerprint}`);
    return row?.count ?? 0;
  }

  /** Rings may use different templates; one that was not used for a week is dropped. */
  async #dropUnused(server: TenantServer): Promise<void> {
    const isUnused = sql`kind = 'template' AND server = ${server.name} AND used_at < now() - interval '7 days'`;
    await this.#dropPrepared(
      server,
      sql`fingerprint IN (SELECT fingerprint FROM prepared_databases WHERE ${isUnused})`,
    );
  }

  async #dropPrepared(server: TenantServer, condition: ReturnType<typeof sql>): Promise<void> {
    const { db } = this.#central;
    const rows = await db.rows<{ name: string }>(sql`
      SELECT name FROM prepared_databases WHERE server = ${server.name} AND ${condition}`);
    for (const { name } of rows) {
      await dropDatabase(server, name);
      await db.run(sql`DELETE FROM prepared_databases WHERE server = ${server.name} AND name = ${name}`);
    }
  }

  exists(name: string, server: TenantServer = this.#main): Promise<boolean> {
    return databaseExists(server, name);
  }

  drop(name: string, server: TenantServer = this.#main): Promise<void> {
    return dropDatabase(server, name);
  }
}

/** Whether the database exists, or another session is creating it. */
function isDuplicate(error: unknown): boolean {
  return ['42P04', '23505'].includes((error as { code?: string }).code ?? '');
}

function alreadyExists(name: string): Error {
  return new Error(
    `the database ${name} already exists, and may have the data of another tenant; choose another id, or see 'chowkd doctor'`,
  );
}

/** The id of this installation, which marks its databases on a shared server. */
export async function installationId(db: Db): Promise<string> {
  const row = await db.row<{ id: string }>(sql`SELECT id FROM installation`);
  if (!row)
    throw new Error('the central database has no installation id; restore the table installation from a backup');
  return row.id;
}

/** The comment of a database of this installation. */
export function ownerMark(installation: string): string {
  return `chowk ${installation}`;
}

async function readOwnerMark(db: Db, name: string): Promise<string | undefined> {
  const row = await db.row<{ mark: string | null }>(sql`
    SELECT shobj_description(oid, 'pg_database') AS mark FROM pg_database WHERE datname = ${name}`);
  return row?.mark?.startsWith('chowk ') ? row.mark : undefined;
}
