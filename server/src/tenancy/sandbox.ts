import { type Db, sql } from '@chowk/kit/kernel';
import { fail } from '../errors.ts';
import { createFrom } from './archive-import.ts';
import { isUnlocked } from './archive-lock.ts';
import type { ArchiveServices } from './archive-services.ts';
import { type TenantSource, withSnapshot } from './archive-source.ts';
import type { Rules, TableRules } from './archive-tables.ts';
import { databaseName } from './labels.ts';
import { deleteTenant, finishRemoval } from './remove-tenant.ts';
import type { TenantDatabases } from './tenant-databases.ts';
import type { InTransaction } from './tenants.ts';

/*
 * Sandboxes: tenants with the settings and the catalogue of another one and nothing else of it. What they send reaches nobody
 * (`isSandbox` of a tenant).
 */

/** Records a sandbox in the transaction `db`, on the ring of its tenant. It is not available before it is filled. */
export async function reserveSandbox(
  db: Db,
  databases: TenantDatabases,
  { id, of }: { readonly id: string; readonly of: string },
): Promise<void> {
  const server = await databases.place();
  await db.run(sql`
    INSERT INTO tenants (id, name, role, status, database_server, database_name, module_ring_id, sandbox_of)
    SELECT ${id}, left(name, 245) || ' (sandbox)', 'merchant', 'importing', ${server.name}, ${databaseName(id)},
      module_ring_id, id
    FROM tenants WHERE id = ${of}`);
}

/** Fills a reserved sandbox and makes it available; if that fails, nothing of it is left. */
export async function fillSandbox(services: ArchiveServices, id: string, inTransaction: InTransaction): Promise<void> {
  const sandbox = await services.central.db.row<{ of: string }>(
    sql`SELECT sandbox_of AS of FROM tenants WHERE id = ${id} AND status = 'importing'`,
  );
  if (!sandbox) return;
  const ours = { ...services, rules: new SandboxRules(services.rules) };
  await withSnapshot(ours, sandbox.of, (source) =>
    createFrom(ours, withoutTeam(source), { id, isCopy: true, isReserved: true, inTransaction }),
  );
}

export async function deleteSandbox(services: ArchiveServices, id: string): Promise<void> {
  const { central } = services;
  if (!(await isUnlocked(central, id))) throw fail('tenancy.sandbox_busy');
  await finishRemoval(services, id);
  await deleteTenant(services, id);
}

/** Its members and domains stay with the tenant, and its numbers begin anew. */
function withoutTeam(source: TenantSource): TenantSource {
  const { facts } = source;
  return { ...source, facts: { ...facts, sequences: [], domains: [], team: { ...facts.team, members: [] } } };
}

/** The rules of the tables that declare `sandbox`, with their files and kept counts. All other tables are as in a new tenant. */
class SandboxRules extends Map<string, TableRules> implements Rules {
  constructor(rules: Rules) {
    const copied = [...rules].filter(([, { sandbox }]) => sandbox !== undefined);
    super(copied.map(([table, rule]) => [table, { ...rule, ...valuesIn(rule) }]));
    const withFiles = new Set(copied.flatMap(([, { module, file_urls }]) => (file_urls && module ? [module] : [])));
    this.set('stored_files', { where: `is_public AND module IN (${literals(withFiles)})` });
    this.set('counters', { where: `split_part(name, '.', 1) IN (${literals(copied.map(([table]) => table))})` });
  }

  override get(table: string): TableRules {
    return super.get(table) ?? { isNew: true };
  }
}

function valuesIn({ sandbox }: TableRules): Pick<TableRules, 'values'> {
  return typeof sandbox === 'object' ? { values: sandbox } : {};
}

/** Names of tables and modules have no quotes. */
function literals(names: Iterable<string>): string {
  return [...names].map((name) => `'${name}'`).join(', ') || 'NULL';
}
