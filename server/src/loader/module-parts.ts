import type { Ctx, DeclaredPermission, Helper, Identity, Job, SystemServices } from '@chowk/kit';
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

/** The identity of the one module that provides it. Without such a module all callers are anonymous. */
export async function identityOf(modules: readonly LoadedModule[], system: SystemServices): Promise<Identity> {
  const [module, other] = modules.filter(({ parts }) => parts.identity);
  if (other) throw new Error(`the modules ${module?.alias} and ${other.alias} both provide an identity`);
  return module?.parts.identity?.(system) ?? { authenticate: () => undefined, membership: () => undefined };
}

/** The permissions that the modules declare, in order. */
export function permissionsOf(modules: readonly Pick<LoadedModule, 'manifest'>[]): DeclaredPermission[] {
  return modules
    .flatMap(({ manifest }) => manifest.permissions ?? [])
    .map((declared) => (typeof declared === 'string' ? { name: declared, description: declared } : declared))
    .map(({ name, description, sensitive = false }: { name: string; description: string; sensitive?: boolean }) => ({
      ...{ name, description, isSensitive: sensitive },
    }));
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
