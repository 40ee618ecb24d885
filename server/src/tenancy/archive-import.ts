import { Failure, sql, taken } from '@chowk/kit/kernel';
import type { Connection } from '../db/connection.ts';
import { type MigrationSource, migrate } from '../db/migrations.ts';
import { invalid } from '../errors.ts';
import { loadTables, replaceFileUrls, replaceUsers } from './archive-load.ts';
import { whileLocked } from './archive-lock.ts';
import { archivedMigrations, type Manifest, Measure } from './archive-manifest.ts';
import { ArchiveError } from './archive-reader.ts';
import { resealSecrets } from './archive-secrets.ts';
import type { ArchiveServices, FileRow } from './archive-services.ts';
import { type Facts, inDatabase, locate, openArchive, type TenantSource, withSnapshot } from './archive-source.ts';
import { databaseName } from './labels.ts';
import { recordMigration } from './migrate-fleet.ts';
import { eraseTenant } from './remove-tenant.ts';
import { installationId } from './tenant-databases.ts';
import { addRandomDomain, ensureDomain, type InTransaction, idProblem } from './tenants.ts';

export interface ImportOptions {
  readonly id?: string | undefined;
  /** The archive may be much smaller than its content. */
  readonly isLarge?: boolean;
  /** Runs in the transaction that activates the tenant. */
  readonly inTransaction?: InTransaction | undefined;
}

export interface ImportResult {
  readonly id: string;
  /** Lines for the operator about data that was not imported. */
  readonly reports: readonly string[];
}

/** Creates a tenant from an archive. If it fails, nothing of it is left. */
export async function importTenant(
  services: ArchiveServices,
  path: string,
  { id, isLarge = false, inTransaction }: ImportOptions = {},
): Promise<ImportResult> {
  const archive = await openArchive(path, { isLarge });
  try {
    return await createFrom(services, archive, {
      id: id ?? archive.manifest.tenant.id,
      isCopy: false,
      checkFiles: archive.manifest.files,
      inTransaction,
    });
  } finally {
    await archive.close();
  }
}

/** Creates a copy of a tenant that sends nothing: its webhooks are off, and pending work stays with the original. */
export function cloneTenant(
  services: ArchiveServices,
  tenantId: string,
  { id, inTransaction }: ImportOptions & { readonly id: string },
): Promise<ImportResult> {
  return withSnapshot(services, tenantId, (source) =>
    createFrom(services, source, { id, isCopy: true, inTransaction }),
  );
}

interface Creation {
  readonly id: string;
  readonly isCopy: boolean;
  readonly checkFiles?: Manifest['files'];
  readonly inTransaction?: InTransaction | undefined;
}

async function createFrom(services: ArchiveServices, source: TenantSource, creation: Creation): Promise<ImportResult> {
  const { central, databases } = services;
  const { id } = creation;
  const sources = archivedMigrations(source.facts as Manifest, databases.sources);
  const problem = await idProblem(central.db, databases, id);
  if (problem) throw invalid({ id: [problem] });
  return whileLocked(central, id, async () => {
    await reserve(services, source, id);
    try {
      return await fill(services, source, { ...creation, sources });
    } catch (error) {
      // If this fails too, `tenant:doctor` finds what is left.
      await eraseTenant(services, id).catch(() => {});
      throw error;
    }
  });
}

/** Recorded before anything is created, so that `tenant:doctor` finds what a crash leaves. */
async function reserve({ central, databases }: ArchiveServices, { facts }: TenantSource, id: string): Promise<void> {
  // There is one platform owner, and an archive does not make another.
  const role = facts.tenant.role === 'reseller' ? 'reseller' : 'merchant';
  const server = await databases.place();
  const inserted = await central.db.run(sql`
    INSERT INTO tenants (id, name, role, status, database_server, database_name, module_ring_id)
    SELECT ${id}, ${facts.tenant.name}, ${role}, 'importing', ${server.name}, ${databaseName(id)}, r.id
    FROM module_rings r WHERE r.is_default
    ON CONFLICT DO NOTHING`);
  if (inserted === 0) throw invalid({ id: taken(`${id} is taken.`) });
}

async function fill(
  services: ArchiveServices,
  source: TenantSource,
  creation: Creation & { readonly sources: readonly MigrationSource[] },
): Promise<ImportResult> {
  const { id, sources } = creation;
  await createDatabase(services, id, sources);
  await inTenantTransaction(services, id, (connection) =>
    loadTables(connection, source, services.rules, services.onProgress),
  );
  const { server, database } = await locate(services, id);
  await migrate(server.address, database, services.databases.sources);
  const reports = await adaptData(services, source, creation);
  reports.push(...(await loadFiles(services, source, creation)));
  reports.push(...(await changeSettings(services, source, id)));
  reports.push(...(await activate(services, source, creation)));
  return { id, reports };
}

/** A database with the migrations of the source and no others. */
async function createDatabase(
  services: ArchiveServices,
  id: string,
  sources: readonly MigrationSource[],
): Promise<void> {
  const { central, databases } = services;
  const { server, database } = await locate(services, id);
  await databases.copyTemplate(database, server);
  const countMigrations = (all: readonly MigrationSource[]) =>
    all.reduce((sum, { migrations }) => sum + migrations.length, 0);
  if (countMigrations(sources) === countMigrations(databases.sources)) return;
  const mark = `CREATE TABLE chowk_installation AS SELECT '${await installationId(central.db)}'::uuid AS id`;
  await inDatabase(services, id, (connection) =>
    connection.script(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${mark}`),
  );
  await migrate(server.address, database, sources);
}

/** Adapts the references to users, files and secrets of the source. The rules are those of the current migrations. */
async function adaptData(
  services: ArchiveServices,
  { facts }: TenantSource,
  { id, isCopy }: Creation,
): Promise<string[]> {
  const { central, rules, secrets } = services;
  const isOurs = (await installationId(central.db)) === facts.installation;
  const users = isOurs ? undefined : await findUsers(services, facts);
  const change = { from: facts.tenant.id, to: id, isCopy };
  return inTenantTransaction(services, id, async (connection) => {
    if (users) await replaceUsers(connection, rules, users);
    await replaceFileUrls(connection, rules, change);
    return resealSecrets(connection, secrets, rules, change);
  });
}

/** Without a time limit, because the source may be slow. */
function inTenantTransaction<Result>(
  services: ArchiveServices,
  id: string,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  return inDatabase(services, id, async (connection) => {
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

async function loadFiles(
  services: ArchiveServices,
  source: TenantSource,
  { id, checkFiles }: Creation,
): Promise<string[]> {
  const measure = new Measure();
  const counts = { written: 0, missing: 0 };
  await inDatabase(services, id, async (connection) => {
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
      await services.files.writeContent(id, row, measure.through(file.content));
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

/** A setting that this installation does not have, or refuses, keeps its default. */
async function changeSettings({ settings }: ArchiveServices, { facts }: TenantSource, id: string): Promise<string[]> {
  const reports: string[] = [];
  for (const [key, value] of Object.entries(facts.settings)) {
    await settings
      .change(id, { [key]: value }, () => true)
      .catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        reports.push(`the setting ${key.slice(0, 100)} has its default: its value is not accepted`);
      });
  }
  return reports;
}

async function activate(services: ArchiveServices, { facts }: TenantSource, creation: Creation): Promise<string[]> {
  const { central, databases, modules, teams } = services;
  const { id, isCopy, inTransaction } = creation;
  return central.db.tx(async (tx) => {
    const reports: string[] = [];
    const aliases = facts.domains.filter(({ kind, domain }) => kind === 'alias' && domain !== facts.tenant.id);
    await ensureDomain(tx, id, id, 'alias');
    await addRandomDomain(tx, id);
    for (const { domain } of isCopy ? [] : aliases) {
      if (!(await ensureDomain(tx, id, domain, 'alias'))) reports.push(`the domain ${domain.slice(0, 63)} is taken`);
    }
    for (const { alias, status } of facts.modules.filter((module) => modules.has(module.alias))) {
      await tx.run(
        sql`INSERT INTO module_installations (tenant_id, alias, status) VALUES (${id}, ${alias}, ${status})`,
      );
    }
    const missing = await teams.importTeam(tx, id, facts.team);
    if (missing.length === facts.team.members.length && !inTransaction) {
      reports.push('it has no members: to give it an owner, delete it and import it again with --owner=<email>');
    }
    for (const email of missing) {
      reports.push(`${email} is not a member: no user has verified this address, or the role does not exist`);
    }
    await recordMigration(tx, id, databases.migrationIds, null);
    await databases.onMigrated(tx, id);
    await inTransaction?.(tx);
    const activated = await tx.run(sql`
      UPDATE tenants SET status = 'active', updated_at = now() WHERE id = ${id} AND status = 'importing'`);
    if (activated === 0) throw new Error('the tenant was removed during its import');
    return reports;
  });
}
