import { type Db, sql } from '@chowk/kit/kernel';
import { isUnlocked, whileLocked } from './archive-lock.ts';
import type { ArchiveServices } from './archive-services.ts';
import type { Central } from './central-database.ts';
import { settle } from './restore-record.ts';

type RemovalServices = Pick<ArchiveServices, 'central' | 'databases' | 'files' | 'jobs' | 'teams'>;

/**
 * What happens to the rows of the central database that belong to a tenant: `archived` ones are in its archive, and like
 * those that are `removed` they are deleted with the tenant; others are `kept` as history.
 */
export const centralRows: Readonly<Record<string, 'archived' | 'removed' | 'kept'>> = {
  'domains.tenant_id': 'archived',
  'memberships.tenant_id': 'archived',
  'module_installations.tenant_id': 'archived',
  'roles.tenant_id': 'archived',
  'tenant_settings.tenant_id': 'archived',
  // State of this installation: history, invitations, secrets of programs, bookkeeping.
  'activity_log.tenant_id': 'removed',
  'app_grants.tenant_id': 'removed',
  'apps.tenant_id': 'removed',
  'invitations.tenant_id': 'removed',
  'oauth_clients.tenant_id': 'removed',
  'outbox_activity.tenant_id': 'removed',
  'release_channels.tenant_id': 'removed',
  'tenant_activity.tenant_id': 'removed',
  'tenant_migrations.tenant_id': 'removed',
  'tenant_moves.tenant_id': 'removed',
  'tenant_restores.tenant_id': 'removed',
  'unsettled_files.tenant_id': 'removed',
  // The codes of a reseller and the applications made with them.
  'referral_codes.parent_tenant_id': 'removed',
  'reseller_applications.parent_tenant_id': 'removed',
  // The application that a tenant was created from belongs to its reseller.
  'reseller_applications.tenant_id': 'kept',
  // The history of the platform's operators.
  'backup_runs.tenant_id': 'kept',
  'ring_operations.tenant_id': 'kept',
};

/** Refuses the requests of the tenant from now on and removes it. An interrupted deletion is finished by another. */
export async function deleteTenant(services: RemovalServices, id: string): Promise<void> {
  const { db } = services.central;
  await whileLocked(services.central, id, async () => {
    const move = await db.row(sql`SELECT FROM tenant_moves WHERE tenant_id = ${id}`);
    if (move) throw new Error(`${id} is being moved to another server; wait, or run 'chowkd tenant:doctor --repair'`);
    await settle(services.central, id);
    const tenant = await db.row<{ role: string }>(sql`SELECT role FROM tenants WHERE id = ${id}`);
    if (tenant?.role === 'platform_owner') throw new Error(`${id} is the platform's own tenant and cannot be deleted`);
    await db.run(sql`
      UPDATE tenants SET status = 'deleting', updated_at = now() WHERE id = ${id} AND status IN ('active', 'suspended')`);
    await eraseTenant(services, id);
  });
}

/** The tenants whose import or deletion was interrupted. */
export async function findInterrupted(central: Central): Promise<{ id: string; status: string }[]> {
  const rows = await central.db.rows<{ id: string; status: string }>(
    sql`SELECT id, status FROM tenants WHERE status IN ('importing', 'deleting') ORDER BY id`,
  );
  const interrupted = [];
  for (const row of rows) if (await isUnlocked(central, row.id)) interrupted.push(row);
  return interrupted;
}

/** Removes what an interrupted import or deletion has left. */
export function finishRemoval(services: RemovalServices, id: string): Promise<void> {
  return whileLocked(services.central, id, () => eraseTenant(services, id));
}

/** Removes a tenant that is being imported or deleted: files and database first, so that its row tells what is left. */
export async function eraseTenant(
  { central, databases, files, jobs, teams }: RemovalServices,
  id: string,
): Promise<void> {
  const tenant = await central.db.row<{ id: string; name: string; status: string; database: string }>(sql`
    SELECT id, name, status, database_name AS database FROM tenants WHERE id = ${id} AND status IN ('importing', 'deleting')`);
  if (!tenant) return;
  const server = await databases.getServer(id);
  if ((await databases.exists(tenant.database, server)) && (await databases.isOurs(tenant.database, server))) {
    await databases.drop(tenant.database, server);
  }
  await files.removeTenant(id);
  await jobs.removeTenant(id);
  await central.db.tx(async (tx: Db) => {
    if (tenant.status === 'deleting') await teams.removeTenant(tx, tenant);
    await tx.run(sql`DELETE FROM tenants WHERE id = ${id}`);
  });
}
