import { randomBytes } from 'node:crypto';
import { type Db, sql } from '@chowk/kit/kernel';
import { isUnlocked, whileLocked } from './archive-lock.ts';
import { type Central, databaseExists, dropDatabase, type TenantServer } from './central-database.ts';
import { keptName, removeFence, retire } from './move-fence.ts';
import { requireServer } from './servers.ts';

/** A row of `tenant_restores`, with the server of its databases. */
export interface Restore {
  readonly tenantId: string;
  readonly server: TenantServer;
  readonly previous: string;
  readonly restored: string;
  /** The name of the previous database after the restore. */
  readonly kept: string;
}

type Step = 'filling' | 'paused' | 'switched' | 'undoing';

/** Recorded before anything is created, so that what a crash leaves is known. */
export async function beginRestore(
  db: Db,
  { tenantId, server, previous, restored }: Omit<Restore, 'kept'>,
): Promise<Restore> {
  const kept = keptName(previous, randomBytes(4).toString('hex'));
  const inserted = await db.run(sql`
    INSERT INTO tenant_restores (tenant_id, previous, restored, kept)
    SELECT id, database_name, ${restored}, ${kept} FROM tenants
    WHERE id = ${tenantId} AND database_name = ${previous} AND status IN ('active', 'suspended')`);
  if (inserted === 0) throw new Error(`${tenantId} is neither active nor suspended`);
  return { tenantId, server, previous, restored, kept };
}

/** Throws if another process has settled the restore meanwhile. */
export async function recordStep(db: Db, { tenantId, restored }: Restore, from: Step, to: Step): Promise<void> {
  const changed = await db.run(sql`
    UPDATE tenant_restores SET step = ${to} WHERE tenant_id = ${tenantId} AND restored = ${restored} AND step = ${from}`);
  if (changed === 0) throw new Error('another process has ended this restore');
}

/** Renames the previous database, which is not in use any more: a new tenant with the id must not get it. */
export async function finishRestore(db: Db, { tenantId, server, previous, kept }: Restore): Promise<void> {
  if (await databaseExists(server, previous)) await retire(server, previous, kept);
  await db.run(sql`DELETE FROM tenant_restores WHERE tenant_id = ${tenantId} AND step = 'switched'`);
}

/** Lets the tenant continue with the previous database and removes the restored one. */
export async function undoRestore(db: Db, { tenantId, server, previous, restored }: Restore): Promise<void> {
  // Recorded first: from then on the switch is impossible.
  const changed = await db.run(sql`
    UPDATE tenant_restores SET step = 'undoing' WHERE tenant_id = ${tenantId} AND restored = ${restored} AND step <> 'switched'`);
  if (changed === 0) throw new Error('another process has ended this restore');
  await removeFence(server, previous);
  await dropDatabase(server, restored);
  await db.run(sql`DELETE FROM tenant_restores WHERE tenant_id = ${tenantId} AND step = 'undoing'`);
}

/** Finishes or undoes an interrupted restore. The caller has the lock of the tenant. */
export async function settle(central: Central, tenantId: string): Promise<void> {
  const row = await central.db.row<Omit<Restore, 'server'> & { serverName: string; step: Step }>(sql`
    SELECT r.tenant_id AS "tenantId", r.previous, r.restored, r.kept, r.step, t.database_server AS "serverName"
    FROM tenant_restores r JOIN tenants t ON t.id = r.tenant_id WHERE r.tenant_id = ${tenantId}`);
  if (!row) return;
  const restore = { ...row, server: requireServer(central, row.serverName) };
  await (row.step === 'switched' ? finishRestore : undoRestore)(central.db, restore);
}

/** Finishes or undoes an interrupted restore, unless a process is working on it. */
export function settleRestore(central: Central, tenantId: string): Promise<void> {
  return whileLocked(central, tenantId, () => settle(central, tenantId));
}

/** Restores that no process is working on. */
export async function listInterruptedRestores(
  central: Central,
): Promise<{ readonly tenantId: string; readonly step: Step }[]> {
  const rows = await central.db.rows<{ tenantId: string; step: Step }>(
    sql`SELECT tenant_id AS "tenantId", step FROM tenant_restores ORDER BY tenant_id`,
  );
  const interrupted = [];
  for (const row of rows) if (await isUnlocked(central, row.tenantId)) interrupted.push(row);
  return interrupted;
}
