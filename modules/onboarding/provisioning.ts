import { type Db, Failure, type JobTypes, type SystemCtx, sql, systemJob, Type, Uuid } from '@chowk/kit';
import { type ApplicationRow, findApplication } from './applications.ts';
import { mailFailed } from './mails.ts';
import { type StepName, stepNames } from './schemas.ts';
import { steps } from './steps.ts';

/** In seconds. */
const retries = [10, 30, 60] as const;
const maxAttempts = retries.length + 1;

/** Approves an application in `tx` and queues its provisioning. */
export async function startProvisioning(
  ctx: SystemCtx,
  tx: Db,
  id: string,
  { delaySeconds }: { delaySeconds?: number } = {},
): Promise<void> {
  await tx.run(sql`
    UPDATE reseller_applications SET status = 'provisioning', rejection_reason = NULL, attempts = 0, updated_at = ${ctx.now()}
    WHERE id = ${id}`);
  await ctx.system.addJob('onboarding.provision', { id }, { tx, delaySeconds });
}

/**
 * Performs the steps that are not completed. Each is recorded before it runs and when it is done, and can be repeated, so that
 * another process continues where one has died. Throws if a step fails and is to be tried again.
 */
export async function provision(ctx: SystemCtx, id: string): Promise<void> {
  await ctx.system.runIfUnlocked(`provision ${id}`, async () => {
    let done: StepName | undefined;
    for (const step of stepNames) {
      const application = await findApplication(ctx.central, id);
      if (application.status !== 'provisioning') return;
      if (application.steps[step]?.status === 'completed') continue;
      await recordSteps(ctx, id, { ...(done && { [done]: 'completed' }), [step]: 'running' });
      if (!(await performStep(ctx, application, step))) return;
      done = step;
    }
  });
}

/** Resolves to whether the step is done. */
async function performStep(ctx: SystemCtx, application: ApplicationRow, step: StepName): Promise<boolean> {
  const { id } = application;
  ctx.log.debug({ application: id, step }, 'provisioning: a step begins');
  try {
    await steps[step](ctx, application);
  } catch (error) {
    await recordFailure(ctx, application, step, error);
    return false;
  }
  ctx.log.debug({ application: id, step }, 'provisioning: a step is done');
  return true;
}

type StepStates = Readonly<Partial<Record<StepName, 'running' | 'completed' | 'failed'>>>;

async function recordSteps(ctx: SystemCtx, id: string, states: StepStates): Promise<void> {
  await ctx.central.run(sql`
    WITH touched AS (UPDATE reseller_applications SET updated_at = now() WHERE id = ${id})
    INSERT INTO provisioning_steps (application_id, step, status, at)
    SELECT ${id}, step, status, now() FROM unnest(${Object.keys(states)}::text[], ${Object.values(states)}::text[]) AS s (step, status)
    ON CONFLICT (application_id, step) DO UPDATE SET status = excluded.status, at = excluded.at`);
}

/** After the last attempt the application has failed; otherwise the error is thrown, so that the queue tries again. */
async function recordFailure(ctx: SystemCtx, { id, attempts }: ApplicationRow, step: StepName, error: unknown) {
  const isLast = attempts + 1 >= maxAttempts;
  const reason = readableReason(step, error);
  ctx.log.warn({ err: error, application: id, step, attempt: attempts + 1 }, 'a step of provisioning failed');
  await recordSteps(ctx, id, { [step]: 'failed' });
  await ctx.central.tx(async (tx) => {
    const changed = await tx.run(sql`
      UPDATE reseller_applications SET attempts = attempts + 1, rejection_reason = ${reason}, updated_at = now(),
        status = ${isLast ? 'failed' : 'provisioning'} WHERE id = ${id} AND status = 'provisioning'`);
    if (isLast && changed > 0) await mailFailed(ctx, tx, id);
  });
  if (!isLast) throw error;
}

const stepLabels: Readonly<Record<StepName, string>> = {
  tenant_id: 'choosing an id',
  database: 'creating the database',
  primary_domain: 'adding the domain',
  alias: 'adding the alias',
  owner: 'creating the owner',
  modules: 'installing the modules',
  products: 'copying the products',
  complete: 'completing the application',
};

/** For applicants: the step and, if users may see it, the cause. Messages of internal errors may contain secrets. */
export function readableReason(step: StepName, error: unknown): string {
  const isOutage = /ECONN|ETIMEDOUT|ENOTFOUND|57P0|53300|08006/.test(
    `${(error as { code?: string }).code ?? ''} ${(error as Error).message ?? ''}`,
  );
  const fields = error instanceof Failure ? Object.values(error.extras.errors ?? {}).flat() : [];
  const cause =
    error instanceof Failure && error.status < 500
      ? (fields[0]?.message ?? error.message)
      : isOutage
        ? 'The database server could not be reached.'
        : 'An internal error occurred; the operator finds it in the log.';
  return `Failed at ${stepLabels[step]}. ${cause}`;
}

/** Nothing has happened for this long: the process has died, and its job with it. */
const abandonedAfter = sql`interval '2 minutes'`;

export const provisioningJobs = {
  'onboarding.provision': systemJob({
    data: Type.Object({ id: Uuid }),
    queue: 'build',
    retries: [...retries],
    run: (ctx, { id }) => provision(ctx, id),
  }),
  'onboarding.resume': systemJob({
    data: Type.Object({}),
    queue: 'build',
    schedule: '* * * * *',
    async run(ctx) {
      const abandoned = await ctx.central.rows<{ id: string }>(sql`
        SELECT id FROM reseller_applications WHERE status = 'provisioning' AND updated_at < now() - ${abandonedAfter}
        ORDER BY updated_at LIMIT 100`);
      for (const { id } of abandoned) await ctx.jobs.add('onboarding.provision', { id });
      return { resumed: abandoned.length };
    },
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof provisioningJobs> {}
}
