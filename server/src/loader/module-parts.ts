import type { Ctx, Helper, Job } from '@chowk/kit';
import type { RegisteredListener } from '../events/event-hub.ts';
import type { AddOptions, JobHandler, Task } from '../jobs/job-queues.ts';
import type { Installations } from './installations.ts';
import type { LoadedModule } from './load-modules.ts';

const defaultRetries = [5, 30, 120, 600];

/** What each module has declared to call. */
export function consumesOf(modules: readonly LoadedModule[]): Map<string, Set<string>> {
  return new Map(modules.map(({ alias, manifest }) => [alias, new Set(manifest.api?.consumes)]));
}

/** What each module has declared to emit. */
export function emitsOf(modules: readonly LoadedModule[]): Map<string, Set<string>> {
  return new Map(modules.map(({ alias, manifest }) => [alias, new Set(manifest.events?.emits)]));
}

export function listenersOf(modules: readonly LoadedModule[]): RegisteredListener[] {
  return modules.flatMap(({ alias, parts }) => (parts.listeners ?? []).map((one) => ({ ...one, module: alias })));
}

export function helpersOf(modules: readonly LoadedModule[]): Map<string, Readonly<Record<string, Helper>>> {
  return new Map(modules.map(({ alias, parts }) => [alias, parts.helpers ?? {}]));
}

type InContext = (task: Task, module: string | undefined, work: (ctx: Ctx) => Promise<void>) => Promise<void>;
type AddAll = (entries: { task: Task; options: AddOptions }[]) => Promise<void>;

/** The jobs of all modules and of the kernel, as the queues take them. */
export function jobsOf(
  modules: readonly LoadedModule[],
  kernelJobs: Readonly<Record<string, Job>>,
  installations: Installations,
  inContext: InContext,
  addAll: AddAll,
): { handlers: Map<string, JobHandler>; schedules: Map<string, string> } {
  const owned = [
    ...Object.entries(kernelJobs).map(([name, job]) => ({ module: undefined, name, job })),
    ...modules.flatMap(({ alias: module, parts }) =>
      Object.entries(parts.jobs ?? {}).map(([name, job]) => ({ module, name, job })),
    ),
  ];
  const handlers = new Map<string, JobHandler>();
  const schedules = new Map<string, string>();
  for (const { module, name, job } of owned) {
    if (job.schedule) schedules.set(name, job.schedule);
    handlers.set(name, {
      queue: job.queue ?? 'default',
      retries: job.retries ?? defaultRetries,
      system: job.system ?? false,
      async perform(task) {
        if (task.tenant === '' && !job.system) return addAll(await forEveryTenant(task, module, installations));
        await inContext(task, module, (ctx) => job.run(ctx, task.data));
      },
    });
  }
  return { handlers, schedules };
}

/** A scheduled task is for nobody in particular: it becomes one for each tenant that has the module. */
async function forEveryTenant(task: Task, module: string | undefined, installations: Installations) {
  const tenants = await installations.tenantsWith(module);
  return tenants.map((tenant) => ({ task: { ...task, tenant }, options: {} }));
}
