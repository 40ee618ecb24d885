import { isDeepStrictEqual } from 'node:util';
import { type Db, sql } from '@chowk/kit/kernel';
import type { Kernel } from '../kernel.ts';
import { loadLockedModules } from '../loader/load-modules.ts';
import type { LockFile } from '../loader/lock-file.ts';
import { readRingLock } from '../loader/ring-lock.ts';
import type { DirectoryEntry } from '../tenancy/directory.ts';
import { type Ring, recordOperation, requireRing } from '../tenancy/rings.ts';
import { showTenant, type TenantSummary } from '../tenancy/tenants.ts';
import { type PreparedTenant, prepareTenant } from './prepare-tenant.ts';
import { queryProblems } from './query-problems.ts';
import { Refusal } from './refusal.ts';

export interface Assignment {
  readonly tenantId: string;
  readonly ring: string;
  /** A user of the platform, or the account of the operating system. */
  readonly operator: string;
  readonly reason?: string | undefined;
  /** Whether the tenant is assigned although something of it would break. */
  readonly force?: boolean | undefined;
}

export interface AssignmentResult {
  readonly tenant: string;
  readonly from: string;
  readonly to: string;
  readonly changed: boolean;
  /** Migrations that the tenant's database lacked. */
  readonly migrations: readonly string[];
  /** What `force` has overridden. */
  readonly overridden: readonly string[];
}

/** The state of the tenant or of the ring does not allow it. */
class NotAssignable extends Error {}

/** Assigns a tenant on behalf of a user, and returns the reason why it refuses, if it does. */
export async function tryAssignTenant(kernel: Kernel, assignment: Assignment): Promise<string | undefined> {
  try {
    await assignTenant(kernel, assignment);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.problems.join('; ');
    if (error instanceof NotAssignable) return error.message;
    throw error;
  }
}

/**
 * Moves a tenant to another ring. Its database gets the migrations of that ring first, so that the next request can be served
 * there. Throws a `Refusal` if the tenant would lose a module or a persisted operation.
 */
export async function assignTenant(kernel: Kernel, assignment: Assignment): Promise<AssignmentResult> {
  const { config, central, directory } = kernel;
  const { tenantId, force = false } = assignment;
  const tenant = await requireAssignable(central.db, tenantId);
  const [from, to] = [await requireRing(central.db, tenant.ring), await requireRing(central.db, assignment.ring)];
  const names = { tenant: tenantId, from: from.name, to: to.name };
  if (from.id === to.id) return { ...names, changed: false, migrations: [], overridden: [] };
  requireActive(to);
  const { lock } = await readRingLock(config, to);
  const entry = (await directory.entry(tenantId)) as DirectoryEntry;
  const problems = await assignmentProblems(kernel, entry, { from, to, lock });
  if (problems.length > 0 && !force) throw new Refusal(`${tenantId} was not assigned to ${to.name}`, problems);
  const prepared = await prepareTenant(kernel, tenant, { ring: to.name, lock });
  await central.db.tx((tx) => reassign(tx, { assignment, from, to, problems, prepared }));
  recordInAuditLog(kernel, entry, { ...assignment, from: from.name });
  return { ...names, changed: true, migrations: prepared.applied, overridden: problems };
}

/** A tenant whose database exists and stays where it is. */
async function requireAssignable(db: Db, id: string): Promise<TenantSummary> {
  const tenant = await showTenant(db, id);
  if (!tenant) throw new NotAssignable(`there is no tenant ${id}; run 'chowkd tenant:list' to see all tenants`);
  if (!['active', 'suspended'].includes(tenant.status)) {
    throw new NotAssignable(`${id} is ${tenant.status}; see 'chowkd tenant:doctor'`);
  }
  const move = await db.row<{ target: string }>(sql`SELECT target FROM tenant_moves WHERE tenant_id = ${id}`);
  if (move) throw new NotAssignable(`${id} is being moved to the database server ${move.target}; assign it afterwards`);
  return tenant;
}

function requireActive({ name, is_active }: Ring): void {
  if (!is_active) throw new NotAssignable(`the ring ${name} is not active; run 'chowkd ring:activate ${name}' first`);
}

/** What the tenant would lose. */
async function assignmentProblems(
  { config, central }: Kernel,
  tenant: DirectoryEntry,
  { from, to, lock }: { readonly from: Ring; readonly to: Ring; readonly lock: LockFile },
): Promise<string[]> {
  const source = await readRingLock(config, from).catch((error: Error) => error);
  // A ring that is broken must not keep its tenants.
  const broken = (error: Error) => [`what ${tenant.id} uses on ${from.name} cannot be compared: ${error.message}`];
  if (source instanceof Error) return broken(source);
  const missing = await missingModules(central.db, tenant.id, { from: source.lock, to: lock });
  const lost = missing.map((alias) => `${to.name} does not have the module ${alias}, which ${tenant.id} has enabled`);
  if (isDeepStrictEqual(source.lock.modules, lock.modules)) return lost;
  const after = await loadLockedModules(config, lock);
  const before = await loadLockedModules(config, source.lock).catch((error: Error) => error);
  if (before instanceof Error) return [...lost, ...broken(before)];
  return [...lost, ...(await queryProblems([tenant], { from: before, to: after }))];
}

/** The modules that the tenant has enabled and that only the first lock file has. */
async function missingModules(
  db: Db,
  tenantId: string,
  { from, to }: { readonly from: LockFile; readonly to: LockFile },
): Promise<string[]> {
  const enabled = await db.rows<{ alias: string }>(sql`
    SELECT alias FROM module_installations WHERE tenant_id = ${tenantId} AND status = 'enabled' ORDER BY alias`);
  return enabled.map(({ alias }) => alias).filter((alias) => from.modules[alias] && !to.modules[alias]);
}

interface Reassignment {
  readonly assignment: Assignment;
  readonly from: Ring;
  readonly to: Ring;
  readonly problems: readonly string[];
  readonly prepared: PreparedTenant;
}

async function reassign(tx: Db, { assignment, from, to, problems, prepared }: Reassignment): Promise<void> {
  const { tenantId, operator, reason } = assignment;
  // The ring cannot be deactivated until the transaction ends.
  await tx.run(sql`SELECT FROM module_rings WHERE id = ${to.id} FOR SHARE`);
  requireActive(await requireRing(tx, to.name));
  const changed = await tx.run(sql`
    UPDATE tenants SET module_ring_id = ${to.id}, updated_at = now()
    WHERE id = ${tenantId} AND module_ring_id = ${from.id} AND status IN ('active', 'suspended')
      AND NOT EXISTS (SELECT FROM tenant_moves WHERE tenant_id = ${tenantId})`);
  if (changed === 0) throw new NotAssignable(`${tenantId} was changed by another command; run the command again`);
  await prepared.complete(tx);
  await recordOperation(tx, {
    operator,
    operation: 'assign',
    ring: to.name,
    tenant_id: tenantId,
    from_value: from.name,
    to_value: to.name,
    forced: problems.length > 0,
    reason,
    details: { migrations: prepared.applied, overridden: problems },
  });
}

function recordInAuditLog(
  { audit }: Kernel,
  tenant: DirectoryEntry,
  { ring, operator, reason, from }: Assignment & { readonly from: string },
): void {
  const entry = audit.begin({
    tenant,
    transport: 'command',
    module: undefined,
    action: 'ring.assign',
    userId: undefined,
    requestId: 'ring:assign',
    input: { ring, operator, reason },
  });
  entry.changes = { ring: [from, ring] };
  audit.end(entry, {});
}
