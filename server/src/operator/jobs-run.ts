import type { Kernel } from '../kernel.ts';
import { compileBody } from '../schemas/validation.ts';
import { type Command, UsageError } from './command.ts';
import { requireOwnRing } from './own-ring.ts';

interface Outcome {
  readonly tenant: string | null;
  readonly state: 'done' | 'failed';
  readonly result: unknown;
  readonly ms: number;
}

export const jobsRunCommand: Command = {
  name: 'jobs:run',
  usage: '<job> [--tenant=<id>] [--data=<json>] [--json]',
  summary: 'run a job now, for one tenant or for all that have its module, and print the result',
  options: { tenant: { type: 'string' }, data: { type: 'string', default: '{}' } },
  positionals: { min: 1, max: 1 },
  async run({ kernel: open, table }, { positionals: [job = ''], options }) {
    const kernel = await open();
    const data = readData(kernel, job, String(options.data));
    const tenants = await tenantsFor(kernel, job, options.tenant === undefined ? undefined : String(options.tenant));
    const outcomes: Outcome[] = [];
    for (const tenant of tenants) outcomes.push(await runJob(kernel, job, tenant, data));
    table(
      outcomes.map(({ result, ...outcome }) => ({
        ...outcome,
        result: options.json || typeof result === 'string' ? (result ?? null) : JSON.stringify(result),
      })),
      `No tenant has the module of ${job}.`,
    );
    const failed = outcomes.filter(({ state }) => state === 'failed').length;
    if (failed > 0) throw new Error(`${job} failed for ${failed} of ${outcomes.length}; the table has the reasons`);
  },
};

function readData({ jobs }: Kernel, job: string, text: string): unknown {
  const { data: schema } = jobs.getHandler(job);
  if (!schema) throw new UsageError(`${job} can be added by the kernel only`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--data is not valid JSON: ${(error as Error).message}`);
  }
  const errors = Object.values(compileBody(schema)(data) ?? {}).flat();
  if (errors.length > 0) throw new UsageError(`--data: ${errors.map(({ message }) => message).join(' ')}`);
  return data;
}

/** One empty tenant stands for a system job. */
async function tenantsFor(kernel: Kernel, job: string, label: string | undefined) {
  const { jobs, directory, installations } = kernel;
  const { module } = jobs.getHandler(job);
  if (jobs.isSystemJob(job)) {
    if (label !== undefined) throw new UsageError(`${job} runs for the platform; leave out --tenant`);
    return [''];
  }
  if (label === undefined) return installations.tenantsWith(module);
  const tenant = await directory.find(label.toLowerCase());
  if (!tenant) throw new Error(`there is no tenant ${label}; 'chowkd tenant:list' lists them`);
  await requireOwnRing(kernel, tenant.id);
  if (module && !(await installations.has(tenant.id, module))) {
    throw new Error(`the module ${module} is not enabled for the tenant ${tenant.id}`);
  }
  return [tenant.id];
}

async function runJob({ jobs }: Kernel, job: string, tenant: string, data: unknown): Promise<Outcome> {
  const startedAt = performance.now();
  const outcome = await jobs
    .getHandler(job)
    .perform({ job, tenant, data: structuredClone(data), requestId: 'jobs:run' })
    .then(
      (result) => ({ state: 'done', result }) as const,
      (error: Error) => ({ state: 'failed', result: error.message }) as const,
    );
  return { tenant: tenant || null, ...outcome, ms: Math.round(performance.now() - startedAt) };
}
