import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Sql, sql } from '@chowk/kit/kernel';
import { inject } from 'vitest';
import { withConnection } from '../src/db/connection.ts';
import type { LockFile } from '../src/loader/lock-file.ts';
import { chowkd, type Outcome, temporaryFolder } from './chowkd.ts';
import { type NotesOptions, writeLock, writeNotes } from './module-sources.ts';
import { packageParts, zip } from './zip.ts';

const limits = { connectTimeoutMs: 5_000, queryTimeoutMs: 30_000 };

export interface ModuleRing {
  readonly environment: Record<string, string>;
  readonly modulesPath: string;
  /** Runs a command whose own process loads no package. */
  run(...args: string[]): Promise<Outcome>;
  lock(): Promise<LockFile>;
  /** Packs and publishes a version of the module `notes`. */
  publish(options: NotesOptions): Promise<string>;
  /** Publishes a version of the module `notes` with this JavaScript in place of its code. */
  publishCode(version: string, code: string, manifest?: object): Promise<void>;
  central<Row>(statement: Sql): Promise<Row[]>;
  tenant<Row>(id: string, statement: Sql): Promise<Row[]>;
}

/** A platform with a database and a lock file of its own, and the tenants that are named. */
export async function startModuleRing(tenants: readonly string[], variables = {}): Promise<ModuleRing> {
  const folder = await temporaryFolder();
  const { port, user, password } = inject('server');
  const database = `central_${randomBytes(5).toString('hex')}`;
  const lockFile = await writeLock(folder, 'identity', 'administration');
  const environment = {
    STORAGE_PATH: folder,
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
    MODULE_LOCK_PATH: lockFile,
    DATABASE_COPY_STRATEGY: 'file_copy',
    ...variables,
  };
  const query = <Row>(name: string, statement: Sql) =>
    withConnection(inject('server'), name, limits, async (connection) => {
      return (await connection.query<Row & object>(statement)).rows as Row[];
    });
  const run = (...args: string[]) => chowkd(args, environment);
  const ring: ModuleRing = {
    environment,
    modulesPath: join(folder, 'modules'),
    run,
    lock: async () => JSON.parse(await readFile(lockFile, 'utf8')),
    async publish(options) {
      const [sources, out] = [await writeNotes(options), await temporaryFolder()];
      await succeed(run('module:pack', sources, `--out=${out}`));
      const zip = join(out, `ShopNotes-${options.version}.zip`);
      await succeed(run('module:publish', zip));
      return zip;
    },
    async publishCode(version, code, manifest) {
      const file = join(await temporaryFolder(), 'notes.zip');
      const parts = packageParts({ version, auto_install: true, ...manifest });
      await writeFile(file, zip(parts.map((part) => (part.name === 'module.js' ? { ...part, content: code } : part))));
      await succeed(run('module:publish', file));
    },
    central: (statement) => query(database, statement),
    async tenant(id, statement) {
      const [row] = await query<{ name: string }>(
        database,
        sql`SELECT database_name AS name FROM tenants WHERE id = ${id}`,
      );
      return query(String(row?.name), statement);
    },
  };
  await succeed(run('migrate'));
  for (const tenant of tenants) await succeed(run('tenant:create', tenant));
  return ring;
}

export async function succeed(running: Promise<Outcome>): Promise<Outcome> {
  const outcome = await running;
  if (outcome.code !== 0) throw new Error(outcome.err);
  return outcome;
}
