import { type Db, sql } from '@chowk/kit/kernel';
import { type Central, databaseExists } from './central-database.ts';
import type { Link } from './move-replication.ts';
import { findServer, requireServer } from './servers.ts';

/** A row of `tenant_moves`. */
export interface MoveRow {
  tenant_id: string;
  id: string;
  source: string;
  target: string;
  step: 'copying' | 'paused' | 'switched' | 'undoing';
  keep: boolean;
  database: string;
}

export interface Move extends Link {
  readonly tenantId: string;
  readonly id: string;
  readonly keep: boolean;
}

/** Records the beginning of a move, unless it is impossible. */
export async function beginMove(
  central: Central,
  tenantId: string,
  { to, keep = false }: { readonly to: string; readonly keep?: boolean },
): Promise<Move> {
  const target = findServer(central, to);
  if (!target) {
    const names = central.servers.map(({ name }) => name).join(', ');
    throw new Error(`there is no database server ${to}; the servers are ${names}`);
  }
  const tenant = await central.db.row<{ server: string; database: string; status: string }>(sql`
    SELECT database_server AS server, database_name AS database, status FROM tenants WHERE id = ${tenantId}`);
  if (!tenant || tenant.status === 'creating') throw new Error(`${tenantId} is not completely created yet`);
  if (tenant.server === to) throw new Error(`${tenantId} is already on ${to}`);
  const source = requireServer(central, tenant.server);
  if (await databaseExists(target, tenant.database)) {
    throw new Error(
      `${to} already has a database ${tenant.database}; run 'chowkd tenant:doctor' to find out whose it is`,
    );
  }
  const row = (await central.db.row<{ id: string }>(sql`
    INSERT INTO tenant_moves (tenant_id, source, target, keep) VALUES (${tenantId}, ${source.name}, ${to}, ${keep})
    RETURNING id`)) as { id: string };
  return { tenantId, id: row.id, slot: slotName(row.id), source, target, database: tenant.database, keep };
}

export function readMove(central: Central, row: MoveRow): Move {
  const { tenant_id: tenantId, id, database, keep } = row;
  const [source, target] = [requireServer(central, row.source), requireServer(central, row.target)];
  return { tenantId, id, slot: slotName(id), source, target, database, keep };
}

function slotName(moveId: string): string {
  return `chowk_move_${moveId.replaceAll('-', '')}`;
}

export function listMoves(db: Db): Promise<MoveRow[]> {
  return db.rows<MoveRow>(sql`
    SELECT m.tenant_id, m.id, m.source, m.target, m.step, m.keep, t.database_name AS database
    FROM tenant_moves m JOIN tenants t ON t.id = m.tenant_id ORDER BY m.tenant_id`);
}

/** Throws if another process has settled the move meanwhile. */
export async function recordStep(db: Db, { id }: Move, from: MoveRow['step'], to: MoveRow['step']): Promise<void> {
  const changed = await db.run(sql`UPDATE tenant_moves SET step = ${to} WHERE id = ${id} AND step = ${from}`);
  if (changed === 0) throw new Error('another process has ended this move');
}

/** All processes are notified by the commit. */
export async function switchServer(db: Db, current: Move): Promise<void> {
  await db.tx(async (tx) => {
    await recordStep(tx, current, 'paused', 'switched');
    await tx.run(sql`
      UPDATE tenants SET database_server = ${current.target.name}, updated_at = now() WHERE id = ${current.tenantId}`);
  });
}

/** Whether another process has undone the move, perhaps before this one has fenced the source. */
export async function isUndone(db: Db, { tenantId, source }: Move): Promise<boolean> {
  const row = await db.row(sql`
    SELECT FROM tenants t WHERE t.id = ${tenantId} AND t.database_server = ${source.name}
      AND NOT EXISTS (SELECT FROM tenant_moves m WHERE m.tenant_id = t.id)`);
  return row !== undefined;
}
