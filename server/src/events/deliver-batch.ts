import { createHash } from 'node:crypto';
import type { Ctx, Log } from '@chowk/kit/kernel';
import { errorLocation } from '../error-location.ts';
import type { JobQueues } from '../jobs/job-queues.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import type { RegisteredListener } from './event-hub.ts';
import type { ReadEvent } from './event-reader.ts';
import { deleteDeliveries, type PendingDelivery, postponeDelivery, readyDeliveries, recordFailure } from './outbox.ts';

export interface DeliveryOptions {
  /** The `afterCommit` listeners by key. */
  readonly listeners: ReadonlyMap<string, RegisteredListener>;
  /** Reads events that other versions of their modules have emitted. */
  readonly read: ReadEvent;
  readonly hasModule: (tenantId: string, alias: string) => Promise<boolean>;
  readonly contextFor: (tenant: TenantEntry, module: string, requestId: string) => Ctx;
  readonly jobs: () => JobQueues;
  readonly log: Log;
}

/** The job that retries a delivery on behalf of an operator. */
export const deliveryJob = 'kernel.deliver';
export const eventsQueue = 'events';

/** Deliveries that are repeated if the process dies meanwhile. */
export const batchSize = 100;
/** Seconds before each retry. */
export const deliveryRetries: readonly number[] = [1, 5, 30, 120, 600];
/** How long an event that this ring cannot read waits before the next attempt. */
const unreadableSeconds = 30;
const listenersAtOnce = 8;
const listenerTimeoutMs = 5 * 60_000;

/** Delivers the next events of a tenant and settles with their number. */
export async function deliverBatch(options: DeliveryOptions, tenant: TenantEntry): Promise<number> {
  const pending = await readyDeliveries(tenant.db, [...options.listeners.keys()], batchSize);
  const queue = [...Map.groupBy(pending, ({ listener, subject, seq }) => `${listener} ${subject ?? seq}`).values()];
  const delivered: number[] = [];
  const work = async () => {
    for (let subject = queue.shift(); subject; subject = queue.shift()) {
      for (const delivery of subject) {
        if (!(await deliver(options, tenant, delivery))) break;
        delivered.push(delivery.seq);
      }
    }
  };
  // All of them end before the caller releases the tenant, also if one fails.
  const ended = await Promise.allSettled(Array.from({ length: listenersAtOnce }, work));
  await deleteDeliveries(tenant.db, delivered);
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return pending.length;
}

/** Resolves to whether the delivery is done. */
async function deliver(options: DeliveryOptions, tenant: TenantEntry, delivery: PendingDelivery): Promise<boolean> {
  const { listeners, hasModule, contextFor, read, log } = options;
  const { id, name, emittedAt } = delivery;
  const listener = listeners.get(delivery.listener) as RegisteredListener;
  if (!(await hasModule(tenant.id, listener.module))) return true;
  const { payload, waitsFor } = read(delivery);
  if (waitsFor !== undefined) {
    if (waitsFor !== delivery.waitsFor) log.warn({ tenant: tenant.id, event: name }, `an event waits for ${waitsFor}`);
    await postponeDelivery(tenant.db, delivery.seq, waitsFor, unreadableSeconds);
    return false;
  }
  try {
    const version = delivery.version ?? undefined;
    const run = listener.run(contextFor(tenant, listener.module, id), payload, { id, name, emittedAt, version });
    await withTimeout(run, listenerTimeoutMs);
    return true;
  } catch (error) {
    const at = errorLocation(error);
    const details = { err: error, tenant: tenant.id, event: name, listener: delivery.listener, at };
    log.warn({ ...details, tries: delivery.attempts + 1 }, 'a listener failed');
    await postpone(options, tenant, delivery, error as Error);
    return false;
  }
}

/** Plans the next attempt; after the last one, the delivery waits for an operator. */
async function postpone(
  options: DeliveryOptions,
  tenant: TenantEntry,
  { id, seq, name, listener, attempts }: PendingDelivery,
  error: Error,
): Promise<void> {
  const delay = deliveryRetries[attempts];
  if (delay === undefined) {
    const task = { job: deliveryJob, tenant: tenant.id, data: { seq, listener, event: name }, requestId: id };
    const message = `${listener} on ${name}: ${error.message}`;
    await options.jobs().addDead(task, eventsQueue, message, taskId(id, listener));
  }
  await recordFailure(tenant.db, seq, delay);
}

async function withTimeout(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the listener did not finish within ${ms / 1_000} seconds`)), ms);
  });
  await Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

/** A UUID that depends on the event and the listener's name only, so that a repeated failure adds one task. */
function taskId(eventId: string, listener: string): string {
  const hex = createHash('sha256').update(`${eventId} ${listener}`).digest('hex');
  return hex.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5');
}
