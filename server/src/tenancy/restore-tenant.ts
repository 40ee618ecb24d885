import { randomBytes } from 'node:crypto';
import { sql } from '@chowk/kit/kernel';
import type { MigrationSource } from '../db/migrations.ts';
import { fillDatabase, inTarget, loadFiles, type Target } from './archive-fill.ts';
import { whileLocked } from './archive-lock.ts';
import { archivedMigrations, type Manifest } from './archive-manifest.ts';
import type { ArchiveServices } from './archive-services.ts';
import { type Location, locate, type TenantSource } from './archive-source.ts';
import { recordMigration } from './migrate-fleet.ts';
import { fence, waitForTransactions } from './move-fence.ts';
import { whileNotMoving } from './move-tenant.ts';
import { beginRestore, finishRestore, type Restore, recordStep, settle, undoRestore } from './restore-record.ts';

const batchSize = 10_000;
/** How long requests under way may take to finish. */
const graceMs = 5_000;

export interface RestoreResult {
  /** The new name of the database that the tenant had before, read-only. */
  readonly kept: string;
  /** Lines for the operator about data that was not restored. */
  readonly reports: readonly string[];
}

export interface RestoreOptions {
  readonly checkFiles?: Manifest['files'] | undefined;
  /** Those that the source may have. Default: those of this process. */
  readonly migrations?: readonly MigrationSource[];
}

/**
 * Replaces the data of a tenant with that of the source. It is prepared in another database on the same server while the tenant
 * stays in use, and is paused for a moment at the end; what is written until then is only in the old database. Domains, members, tokens, API clients and settings
 * are in the central database and stay as they are.
 */
export async function restoreTenant(
  services: ArchiveServices,
  tenantId: string,
  source: TenantSource,
  { checkFiles, migrations = services.databases.sources }: RestoreOptions = {},
): Promise<RestoreResult> {
  const { central } = services;
  const sources = archivedMigrations(source.facts, migrations);
  return whileNotMoving(central, tenantId, () =>
    whileLocked(central, tenantId, async () => {
      await settle(central, tenantId);
      const current = await locate(services, tenantId);
      const target = { tenantId, server: current.server, database: restoredName(tenantId, services.now()) };
      const restore = await beginRestore(central.db, {
        tenantId,
        server: current.server,
        previous: current.database,
        restored: target.database,
      });
      let reports: string[];
      try {
        reports = await fillDatabase(services, source, { target, sources, isCopy: false });
        reports.push(...(await loadFiles(services, source, target, checkFiles)));
        await continueEvents(current, target);
        await replaceDatabase(services, restore, current, target);
      } catch (error) {
        // If this fails too, `kernel.settle_moves` repeats it.
        await undoRestore(central.db, restore).catch(() => {});
        throw error;
      }
      await finishRestore(central.db, restore);
      return { kept: restore.kept, reports };
    }),
  );
}

/** Requests wait meanwhile: none meets a database that is read-only or about to be renamed. */
async function replaceDatabase(
  services: ArchiveServices,
  restore: Restore,
  current: Location,
  target: Target,
): Promise<void> {
  await recordStep(services.central.db, restore, 'filling', 'paused');
  services.onProgress('paused');
  await waitForTransactions(current.server, current.database, graceMs);
  await fence(current.server, current.database);
  await continueEvents(current, target);
  await switchDatabase(services, restore, target);
  services.onProgress('switched');
}

/** Within the 63 bytes of a name, and another each time: `restored_<id>_20260131120000_0f3a`. */
function restoredName(tenantId: string, at: Date): string {
  const time = at.toISOString().replace(/\D/g, '').slice(0, 14);
  return `restored_${tenantId.replaceAll('-', '_').slice(0, 33)}_${time}_${randomBytes(2).toString('hex')}`;
}

interface Numbered {
  readonly id: string;
  readonly sequence: number;
}

/**
 * The numbers of events go on from those of the old database, and an event that readers of the log have got there keeps its
 * number: none gets a number or an event twice.
 */
async function continueEvents(current: Location, target: Target): Promise<void> {
  await inTarget(current, (from) =>
    inTarget(target, async (to) => {
      const unnumbered = sql`SELECT id FROM event_log WHERE sequence IS NULL ORDER BY position`;
      const ids = (await to.query<{ id: string }>(unnumbered)).rows.map(({ id }) => id);
      for (let at = 0; at < ids.length; at += batchSize) {
        const { rows } = await from.query<Numbered>(sql`
          SELECT id, sequence FROM event_log WHERE id = ANY(${ids.slice(at, at + batchSize)}::uuid[]) AND sequence IS NOT NULL`);
        await to.query(sql`
          UPDATE event_log e SET sequence = n.sequence
          FROM unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ sequence }) => sequence)}::bigint[]) AS n (id, sequence)
          WHERE e.id = n.id`);
      }
      const last = await from.query<{ last: number }>(sql`SELECT last_sequence AS last FROM event_log_state`);
      await to.query(
        sql`UPDATE event_log_state SET last_sequence = greatest(last_sequence, ${last.rows[0]?.last ?? 0})`,
      );
    }),
  );
}

/** All processes are notified by the commit. */
async function switchDatabase(
  { central, databases }: ArchiveServices,
  restore: Restore,
  target: Target,
): Promise<void> {
  await central.db.tx(async (tx) => {
    await recordStep(tx, restore, 'paused', 'switched');
    const switched = await tx.run(sql`
      UPDATE tenants SET database_name = ${target.database}, updated_at = now()
      WHERE id = ${target.tenantId} AND database_name = ${restore.previous} AND status IN ('active', 'suspended')`);
    if (switched === 0) throw new Error('the tenant was changed during the restore');
    await recordMigration(tx, target.tenantId, databases.migrationIds, null);
    await databases.onMigrated(tx, target.tenantId);
  });
}
