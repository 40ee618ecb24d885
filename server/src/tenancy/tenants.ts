import { type Db, Failure, type FieldError, type NewTenant, type Sql, sql, taken } from '@chowk/kit/kernel';
import { invalid } from '../errors.ts';
import type { TenantServer } from './central-database.ts';
import { findOwnLabels } from './domains.ts';
import { databaseName, labelProblem, randomLabel } from './labels.ts';
import { migrationState, recordMigration } from './migrate-fleet.ts';
import type { TenantDatabases } from './tenant-databases.ts';

export type { NewTenant };

/** Runs in the transaction that activates a tenant. */
export type InTransaction = (db: Db) => Promise<void>;

const noWork: InTransaction = async () => {};

export interface TenantSummary {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly status: string;
  readonly suspension_reason: string | null;
  readonly ring: string;
  /** `null`: the default one, if there is one. */
  readonly plan: string | null;
  readonly server: string;
  readonly database: string;
  readonly domains: readonly { domain: string; kind: string }[];
  readonly created_at: string;
}

/** Creates a tenant with its domains and its database; on failure nothing is left behind. */
export async function createTenant(
  central: Db,
  databases: TenantDatabases,
  newTenant: NewTenant,
  inTransaction = noWork,
): Promise<TenantSummary> {
  const { id = randomLabel() } = newTenant;
  const aliases = [...new Set([...(newTenant.id === undefined ? [] : [id]), ...(newTenant.aliases ?? [])])];
  const plan = { ...newTenant, id, aliases };
  await checkLabels(central, plan);
  const [database, server] = [databaseName(id), await databases.place()];
  // The database of an existing tenant is reported as a taken id below.
  const isNew = !(await central.row(sql`SELECT FROM tenants WHERE id = ${id}`));
  if (isNew && (await databases.exists(database, server))) throw databaseTaken(id);
  const hasSpare = await central.tx(async (tx) => {
    await insertTenant(tx, plan, database, server.name);
    if (!(await databases.claimSpare(tx, database, server))) return false;
    await activate(tx, databases, id, inTransaction);
    return true;
  });
  // Without a spare the row has the status `creating`, so that an interrupted creation is known.
  if (!hasSpare) await createOrUndo(central, databases, { id, server }, inTransaction);
  await databases.markTenant(database, server, id);
  void databases.refillSpares();
  return (await showTenant(central, id)) as TenantSummary;
}

/** Why an id cannot be used for a new tenant; `undefined` if it can. */
export async function idProblem(central: Db, databases: TenantDatabases, id: string): Promise<FieldError | undefined> {
  const problem = labelProblem(id, await findOwnLabels(central));
  if (problem) return { code: 'invalid', message: problem };
  const existing = await central.row(sql`
    SELECT FROM tenants WHERE id = ${id} UNION ALL SELECT FROM domains WHERE domain = ${id} LIMIT 1`);
  if (existing) return taken(`${id} is taken.`);
  return (await databases.exists(databaseName(id), await databases.place())) ? taken(`${id} is taken.`) : undefined;
}

export async function newTenantId(central: Db, databases: TenantDatabases): Promise<string> {
  const id = randomLabel();
  return (await idProblem(central, databases, id)) ? newTenantId(central, databases) : id;
}

/** The first step of a creation in steps; the module records its progress. Each step can be repeated. */
export async function reserveTenant(
  central: Db,
  databases: TenantDatabases,
  { id, name, role }: { id: string; name: string; role: string },
  module: string,
): Promise<void> {
  const server = await databases.place();
  const isReserved = await central.row(sql`SELECT FROM tenants WHERE id = ${id}`);
  if (!isReserved && (await databases.exists(databaseName(id), server))) throw databaseTaken(id);
  await central.run(sql`
    INSERT INTO tenants (id, name, role, database_server, database_name, created_by_module, module_ring_id)
    SELECT ${id}, ${name}, ${role}, ${server.name}, ${databaseName(id)}, ${module}, r.id FROM module_rings r WHERE r.is_default
    ON CONFLICT (id) DO NOTHING`);
  const row = await central.row(sql`SELECT FROM tenants WHERE id = ${id} AND created_by_module = ${module}`);
  if (!row) throw invalid({ id: taken(`${id} is taken.`) });
}

/** Creates the database of a reserved tenant. One that an interrupted attempt has created is used. */
export async function ensureDatabase(databases: TenantDatabases, id: string): Promise<void> {
  await databases.create(databaseName(id), await databases.getServer(id));
  void databases.refillSpares();
}

/** Returns whether the tenant has the domain now; `false` if another one does. */
export async function ensureDomain(db: Db, id: string, domain: string, kind: 'random' | 'alias'): Promise<boolean> {
  if (labelProblem(domain, await findOwnLabels(db))) return false;
  if (await insertDomain(db, id, domain, kind)) return true;
  return (await db.row(sql`SELECT FROM domains WHERE domain = ${domain} AND tenant_id = ${id}`)) !== undefined;
}

/** Makes a reserved tenant with a database available, with its modules. */
export async function activateTenant(central: Db, databases: TenantDatabases, id: string): Promise<void> {
  await central.tx((tx) => activate(tx, databases, id, noWork));
  await databases.markTenant(databaseName(id), await databases.getServer(id), id);
}

/** Removes a tenant that was never activated, with its database. */
export async function discardTenant(central: Db, databases: TenantDatabases, id: string): Promise<void> {
  const row = await central.row(sql`SELECT FROM tenants WHERE id = ${id} AND status = 'creating'`);
  if (!row) return;
  const [name, server] = [databaseName(id), await databases.getServer(id)];
  if ((await databases.exists(name, server)) && (await databases.isOurs(name, server))) {
    await databases.drop(name, server);
  }
  await central.run(sql`DELETE FROM tenants WHERE id = ${id} AND status = 'creating'`);
}

/** Completes a tenant whose creation was interrupted. All steps are idempotent. */
export async function finishTenant(
  central: Db,
  databases: TenantDatabases,
  id: string,
  inTransaction = noWork,
): Promise<void> {
  await databases.create(databaseName(id), await databases.getServer(id));
  await central.tx((tx) => activate(tx, databases, id, inTransaction));
}

export async function addRandomDomain(db: Db, id: string): Promise<void> {
  while (!(await insertDomain(db, id, randomLabel(), 'random')));
}

/** The id of the tenant with this id or domain. Throws for the operator if there is none. */
export async function requireTenantId(central: Db, label: string): Promise<string> {
  const domain = await central.row<{ id: string }>(
    sql`SELECT tenant_id AS id FROM domains WHERE domain = ${label.toLowerCase()}`,
  );
  if (!domain) throw new Error(`there is no tenant ${label}; run 'chowkd tenant:list' to see all tenants`);
  return domain.id;
}

/** Closes the tenant's sockets and refuses its requests in all processes; its jobs wait. Returns whether it was active. */
export async function suspendTenant(central: Db, id: string, reason: string | null): Promise<boolean> {
  const changed = await central.run(sql`
    UPDATE tenants SET status = 'suspended', suspension_reason = ${reason}, updated_at = now()
    WHERE id = ${id} AND status = 'active'`);
  return changed === 1;
}

/** Returns whether it was suspended. */
export async function resumeTenant(central: Db, id: string): Promise<boolean> {
  const changed = await central.run(sql`
    UPDATE tenants SET status = 'active', suspension_reason = NULL, updated_at = now()
    WHERE id = ${id} AND status = 'suspended'`);
  return changed === 1;
}

/** With the state of its migrations. */
export function listTenantStates(
  central: Db,
  migrationIds: readonly string[],
): Promise<(TenantSummary & { readonly migrations: string })[]> {
  return central.rows(sql`${summaries(sql``, sql`, ${migrationState(migrationIds)} AS migrations`)} ORDER BY t.id`);
}

export function showTenant(central: Db, id: string): Promise<TenantSummary | undefined> {
  return central.row<TenantSummary>(sql`${summaries(sql`WHERE t.id = ${id}`)}`);
}

export function listTenants(central: Db): Promise<TenantSummary[]> {
  return central.rows<TenantSummary>(sql`${summaries(sql``)} ORDER BY t.id`);
}

async function createOrUndo(
  central: Db,
  databases: TenantDatabases,
  { id, server }: { id: string; server: TenantServer },
  inTransaction: InTransaction,
): Promise<void> {
  try {
    await finishTenant(central, databases, id, inTransaction);
  } catch (error) {
    // Refused by `inTransaction`: the database has not been used yet.
    if (error instanceof Failure) await databases.drop(databaseName(id), server);
    if (!(await databases.exists(databaseName(id), server)))
      await central.run(sql`DELETE FROM tenants WHERE id = ${id}`);
    throw error;
  }
}

/** It belongs to another installation, or has the data of an earlier tenant: a new one must not get it. */
function databaseTaken(id: string): Failure {
  return invalid({ id: taken(`${id} is taken: a database of this name exists.`) });
}

async function checkLabels(central: Db, { id, aliases }: { id: string; aliases: readonly string[] }): Promise<void> {
  const ownLabels = await findOwnLabels(central);
  const problem = labelProblem(id, ownLabels);
  if (problem) throw invalid({ id: [problem] });
  const problems = aliases.map((alias) => labelProblem(alias, ownLabels)).filter((problem) => problem !== undefined);
  if (problems.length > 0) throw invalid({ aliases: problems });
}

async function insertTenant(
  tx: Db,
  { id, name, role = 'merchant', aliases }: NewTenant & { id: string; aliases: readonly string[] },
  database: string,
  server: string,
): Promise<void> {
  const inserted = await tx.run(sql`
    INSERT INTO tenants (id, name, role, database_server, database_name, module_ring_id)
    SELECT ${id}, ${name}, ${role}, ${server}, ${database}, r.id FROM module_rings r WHERE r.is_default
    ON CONFLICT DO NOTHING`);
  if (inserted === 0) throw invalid({ id: taken(`${id} is taken.`) });
  for (const alias of aliases) {
    if (!(await insertDomain(tx, id, alias, 'alias'))) throw invalid({ aliases: taken(`${alias} is taken.`) });
  }
  if (aliases.includes(id)) {
    await addRandomDomain(tx, id);
  } else if (!(await insertDomain(tx, id, id, 'random'))) throw invalid({ id: taken(`${id} is taken.`) });
}

async function insertDomain(tx: Db, tenantId: string, domain: string, kind: 'random' | 'alias'): Promise<boolean> {
  const inserted = await tx.run(sql`
    INSERT INTO domains (domain, tenant_id, kind) VALUES (${domain}, ${tenantId}, ${kind})
    ON CONFLICT (domain) DO NOTHING`);
  return inserted === 1;
}

/** Called when the database exists and has all migrations. */
async function activate(
  tx: Db,
  { migrationIds, onMigrated }: TenantDatabases,
  id: string,
  inTransaction: InTransaction,
): Promise<void> {
  await tx.run(sql`UPDATE tenants SET status = 'active', updated_at = now() WHERE id = ${id} AND status = 'creating'`);
  await recordMigration(tx, id, migrationIds, null);
  await onMigrated(tx, id);
  await inheritRegion(tx, id);
  await inTransaction(tx);
}

/** Country, currency, time zone and locale of a new tenant are those of the organization that runs the platform. */
async function inheritRegion(tx: Db, id: string): Promise<void> {
  await tx.run(sql`
    INSERT INTO tenant_settings (tenant_id, key, value)
    SELECT ${id}, key, value FROM tenant_settings
    WHERE tenant_id = (SELECT id FROM tenants WHERE role = 'platform_owner' AND id <> ${id} ORDER BY created_at LIMIT 1)
      AND key IN ('general.country', 'general.currency', 'general.timezone', 'general.locale')
    ON CONFLICT (tenant_id, key) DO NOTHING`);
}

function summaries(where: Sql, further = sql``): Sql {
  return sql`
    SELECT t.id, t.name, t.role, t.status, t.suspension_reason, r.name AS ring, t.plan, t.database_server AS server,
      t.database_name AS database, t.created_at,
      (SELECT coalesce(json_agg(json_build_object('domain', d.domain, 'kind', d.kind) ORDER BY d.kind, d.domain), '[]')
       FROM domains d WHERE d.tenant_id = t.id) AS domains ${further}
    FROM tenants t JOIN module_rings r ON r.id = t.module_ring_id ${where}`;
}
