import { sql } from '@chowk/kit/kernel';
import { type Connection, withConnection } from '../db/connection.ts';
import { fingerprint, type MigrationSource, migrate } from '../db/migrations.ts';
import { loadTables, replaceFileUrls, replaceUsers } from './archive-load.ts';
import { type Manifest, Measure } from './archive-manifest.ts';
import { ArchiveError } from './archive-reader.ts';
import { resealSecrets } from './archive-secrets.ts';
import type { ArchiveServices, FileRow } from './archive-services.ts';
import { copyLimits, type Facts, type Location, type TenantSource } from './archive-source.ts';
import { installationId } from './tenant-databases.ts';

/** The database that the data of a tenant is loaded into. */
export interface Target extends Location {
  readonly tenantId: string;
}

interface Filling {
  readonly target: Target;
  /** The migrations of the source. */
  readonly sources: readonly MigrationSource[];
  readonly isCopy: boolean;
}

/** Creates a database with the data of a tenant and the migrations of this version. Returns lines about data that was not loaded. */
export async function fillDatabase(
  services: ArchiveServices,
  source: TenantSource,
  { target, sources, isCopy }: Filling,
): Promise<string[]> {
  await createDatabase(services, target, sources);
  await inTargetTransaction(target, (connection) =>
    loadTables(connection, source, services.rules, services.onProgress),
  );
  await migrate(target.server.address, target.database, services.databases.sources);
  await services.databases.markTenant(target.database, target.server, target.tenantId);
  return adaptData(services, source, target, isCopy);
}

export function inTarget<Result>(
  { server, database }: Location,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return withConnection(server.address, database, copyLimits, work);
}

/** A database with the migrations of the source and no others. */
async function createDatabase(
  { central, databases }: ArchiveServices,
  target: Target,
  sources: readonly MigrationSource[],
): Promise<void> {
  const { server, database } = target;
  await databases.copyTemplate(database, server);
  if (fingerprint(sources) === databases.fingerprint) return;
  const mark = `CREATE TABLE chowk_installation AS SELECT '${await installationId(central.db)}'::uuid AS id`;
  await inTarget(target, (connection) =>
    connection.script(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${mark}`),
  );
  await migrate(server.address, database, sources);
}

/** Adapts the references to users, files and secrets of the source. The rules are those of the current migrations. */
async function adaptData(
  services: ArchiveServices,
  { facts }: TenantSource,
  target: Target,
  isCopy: boolean,
): Promise<string[]> {
  const { central, rules, secrets } = services;
  const isOurs = (await installationId(central.db)) === facts.installation;
  const users = isOurs ? undefined : await findUsers(services, facts);
  const change = { from: facts.tenant.id, to: target.tenantId, isCopy };
  return inTargetTransaction(target, async (connection) => {
    if (users) await replaceUsers(connection, rules, users);
    await replaceFileUrls(connection, rules, change);
    return resealSecrets(connection, secrets, rules, change);
  });
}

/** Without a time limit, because the source may be slow. */
function inTargetTransaction<Result>(
  target: Target,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return inTarget(target, async (connection) => {
    await connection.script('BEGIN');
    await connection.script('SET LOCAL idle_in_transaction_session_timeout = 0');
    const result = await work(connection);
    await connection.script('COMMIT');
    await connection.script('ANALYZE');
    return result;
  });
}

/** The users of this installation by their ids in the archive. */
async function findUsers({ teams }: ArchiveServices, { team: { members } }: Facts): Promise<Map<number, number>> {
  const known = await teams.findVerified(members.map(({ email }) => email));
  return new Map(
    members.flatMap(({ id, email }) => {
      const user = known.get(email);
      return user === undefined ? [] : [[id, user] as const];
    }),
  );
}

/** Writes the files. Returns a line about those that do not exist any more. */
export async function loadFiles(
  services: ArchiveServices,
  source: TenantSource,
  target: Target,
  checkFiles: Manifest['files'] | undefined,
): Promise<string[]> {
  const measure = new Measure();
  const counts = { written: 0, missing: 0 };
  await inTarget(target, async (connection) => {
    for await (const file of source.files()) {
      if (!file.content) {
        counts.missing += 1;
        continue;
      }
      const { rows } = await connection.query<FileRow>(sql`
        SELECT id, module, type, size, is_public FROM stored_files WHERE id = ${file.id} AND module = ${file.module}`);
      const [row] = rows;
      if (!row) throw new ArchiveError(`files/${file.module}/${file.id} has no row in stored_files`);
      const before = measure.bytes;
      await services.files.writeContent(target.tenantId, row, measure.through(file.content));
      if (measure.bytes - before !== row.size) {
        throw new ArchiveError(`files/${file.module}/${file.id} does not have the size of its row`);
      }
      counts.written += 1;
      if (counts.written % 100 === 0) services.onProgress(`${counts.written.toLocaleString('en')} files`);
    }
  });
  if (checkFiles && (counts.written !== checkFiles.count || measure.digest().sha256 !== checkFiles.sha256)) {
    throw new ArchiveError('its files are not what its manifest describes');
  }
  return counts.missing > 0 ? [`${counts.missing} files do not exist any more`] : [];
}
