import { writeJob } from '../events/outbox.ts';
import type { Kernel } from '../kernel.ts';
import { getValidator } from '../schemas/validation.ts';
import type { ContextOptions } from './context-options.ts';

interface NewJob {
  readonly name: string;
  readonly data: unknown;
  readonly id: string;
  readonly delaySeconds?: number | undefined;
}

/** Adds a job; inside a transaction, when it commits. */
export async function addJob(
  { jobs, events }: Kernel,
  { requestId, tenant, user, transaction }: ContextOptions,
  { name, data, id, delaySeconds }: NewJob,
): Promise<void> {
  const { data: schema, system, version } = jobs.getHandler(name);
  const errors = schema && getValidator(schema)(data);
  if (errors) throw new Error(`the data of the job ${name} does not match its schema: ${JSON.stringify(errors)}`);
  if (!system && !tenant) throw new Error(`the job ${name} needs a tenant; the call is bound to none`);
  // System jobs belong to no tenant.
  const task = { job: name, tenant: system ? '' : (tenant?.id ?? ''), userId: user?.id, data, requestId, version };
  const startAt = delaySeconds === undefined ? undefined : new Date(Date.now() + delaySeconds * 1_000);
  if (!transaction || !tenant) return jobs.add(task, startAt ? { id, startAt } : { id });
  await events.recordActivity(tenant.id);
  const added = { id, task, startAt: startAt?.toISOString() ?? null };
  await writeJob(transaction.db, added);
  transaction.addedJobs.push(added);
}
