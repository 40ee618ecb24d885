import { Failure, sql, taken } from '@chowk/kit/kernel';
import type { MigrationSource } from '../db/migrations.ts';
import { invalid } from '../errors.ts';
import { fillDatabase, loadFiles } from './archive-fill.ts';
import { whileLocked } from './archive-lock.ts';
import { archivedMigrations, type Manifest } from './archive-manifest.ts';
import type { ArchiveServices } from './archive-services.ts';
import { locate, openArchive, type TenantSource, withSnapshot } from './archive-source.ts';
import { databaseName } from './labels.ts';
import { recordMigration } from './migrate-fleet.ts';
import { eraseTenant } from './remove-tenant.ts';
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
  /** It has been recorded before. */
  readonly isReserved?: boolean;
  readonly checkFiles?: Manifest['files'];
  readonly inTransaction?: InTransaction | undefined;
}

export async function createFrom(
  services: ArchiveServices,
  source: TenantSource,
  creation: Creation,
): Promise<ImportResult> {
  const { central, databases } = services;
  const { id, isReserved = false } = creation;
  const sources = archivedMigrations(source.facts, databases.sources);
  const problem = isReserved ? undefined : await idProblem(central.db, databases, id);
  if (problem) throw invalid({ id: [problem] });
  return whileLocked(central, id, async () => {
    if (!isReserved) await reserve(services, source, id);
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
  const { id, sources, isCopy, checkFiles } = creation;
  const target = { tenantId: id, ...(await locate(services, id)) };
  const reports = await fillDatabase(services, source, { target, sources, isCopy });
  reports.push(...(await loadFiles(services, source, target, checkFiles)));
  reports.push(...(await changeSettings(services, source, id)));
  reports.push(...(await activate(services, source, creation)));
  return { id, reports };
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
