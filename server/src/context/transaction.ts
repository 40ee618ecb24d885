import type { Db } from '@chowk/kit/kernel';
import type { AuditEntry } from '../actions/audit-log.ts';
import type { AddedJob } from '../events/outbox.ts';
import { FileChanges } from '../files/file-store.ts';
import type { Task } from '../jobs/task.ts';
import type { Kernel } from '../kernel.ts';
import type { Broadcast } from '../realtime/realtime.ts';
import type { TenantEntry } from '../tenancy/directory.ts';

/** One transaction, shared by all modules that take part in it. */
export interface Transaction {
  readonly db: Db;
  /** Events that wait for the commit: the numbers of their deliveries to listeners. */
  readonly deliveries: Promise<number>[];
  /** Jobs that are moved to their queues after the commit. */
  readonly addedJobs: AddedJob<Task>[];
  /** The audit entries of bus calls in the transaction. */
  readonly auditEntries: AuditEntry[];
  /** Sent to sockets after the commit. */
  readonly broadcasts: Broadcast[];
  /** Shared by the savepoints and the retries. */
  readonly files: FileChanges;
}

interface Scope<Context> {
  readonly tenant: TenantEntry;
  /** The transaction that a savepoint is in. */
  readonly outer: Transaction | undefined;
  /** The entry of the call that begins the transaction. */
  readonly auditEntry: AuditEntry | undefined;
  /** The context in which the work runs. */
  derive(transaction: Transaction): Context;
}

/** Runs `work` in a transaction, or in a savepoint of one. Its events are delivered and its jobs queued after the commit. */
export async function runTransaction<Context, Result>(
  kernel: Kernel,
  { tenant, outer, auditEntry, derive }: Scope<Context>,
  work: (ctx: Context) => Promise<Result>,
): Promise<Result> {
  const initial = auditEntry && { changes: auditEntry.changes, resourceId: auditEntry.resourceId };
  const files = outer?.files ?? new FileChanges();
  let transaction: Transaction | undefined;
  const attempt = async (db: Db) => {
    // A retry must not keep the changes of the attempt that was rolled back.
    if (auditEntry) Object.assign(auditEntry, initial);
    files.isCommitting = false;
    transaction = { db, deliveries: [], addedJobs: [], auditEntries: [], broadcasts: [], files };
    const output = await work(derive(transaction));
    // Not awaited: the entries are sent together with COMMIT, which fails if they cannot be written.
    if (!outer) {
      const { auditEntries } = transaction;
      kernel.audit.write(db, auditEntry ? [auditEntry, ...auditEntries] : auditEntries).catch(() => {});
    }
    files.isCommitting = !outer;
    return output;
  };
  let isKnown = true;
  let result: Result;
  try {
    result = await (outer ?? tenant).db.tx(attempt);
  } catch (error) {
    // If the response to COMMIT is lost, nobody knows yet which files belong to rows.
    isKnown = !files.isCommitting;
    if (auditEntry) Object.assign(auditEntry, initial);
    throw error;
  } finally {
    if (!outer && isKnown && files.unsettled.size > 0) await kernel.files.settle(files);
  }
  const committed = transaction as unknown as Transaction;
  if (outer) {
    outer.auditEntries.push(...committed.auditEntries);
    outer.addedJobs.push(...committed.addedJobs);
    outer.broadcasts.push(...committed.broadcasts);
    outer.deliveries.push(...committed.deliveries);
    return result;
  }
  if (auditEntry) {
    Object.assign(auditEntry, { isWritten: true, isCommitted: true });
    kernel.events.recordActivity(tenant.id).catch(() => {});
  }
  await finish(kernel, tenant, committed);
  return result;
}

/** Starts the work that waits for the commit. */
async function finish(kernel: Kernel, tenant: TenantEntry, committed: Transaction): Promise<void> {
  const { deliveries, addedJobs, broadcasts } = committed;
  if (addedJobs.length > 0) void moveJobs(kernel, tenant, addedJobs);
  if (broadcasts.length > 0) void sendBroadcasts(kernel, tenant, broadcasts);
  if (deliveries.length === 0) return;
  if ((await Promise.all(deliveries)).some((count) => count > 0)) kernel.deliveries.wake(tenant);
  kernel.eventLog.committed(tenant.id);
}

async function moveJobs(
  { deliveries, log }: Kernel,
  tenant: TenantEntry,
  added: readonly AddedJob<Task>[],
): Promise<void> {
  try {
    await deliveries.moveJobs(tenant, added);
  } catch (error) {
    log.warn({ err: error, tenant: tenant.id }, 'added jobs wait for the next sweep');
  }
}

/** One after the other, so that they arrive in order. */
export async function sendBroadcasts(
  { realtime, log }: Kernel,
  tenant: TenantEntry,
  broadcasts: readonly Broadcast[],
): Promise<void> {
  try {
    for (const broadcast of broadcasts) await realtime.broadcast(broadcast);
  } catch (error) {
    log.warn({ err: error, tenant: tenant.id }, 'could not send an event to sockets');
  }
}
