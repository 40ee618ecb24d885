import type { DeclaredNotificationType, EventDefinition, Identity, Job, SystemServices } from '@chowk/kit/kernel';
import { type RegisteredAction, registerActions } from '../actions/registry.ts';
import type { RegisteredListener } from '../events/event-hub.ts';
import { runsEveryHour } from '../jobs/cron.ts';
import { defaultRetries, type JobHandler, type Task } from '../jobs/task.ts';
import type { Installations } from './installations.ts';
import type { LoadedModule } from './load-modules.ts';
import { consumedOperation } from './manifest.ts';

/** The operations that each module may call, with the permission that a call needs instead of the operation's own. */
export function collectConsumes(modules: readonly LoadedModule[]): Map<string, Map<string, string | null | undefined>> {
  return new Map(
    modules.map(({ alias, manifest }) => [
      alias,
      new Map(
        (manifest.api?.consumes ?? [])
          .map(consumedOperation)
          .map(({ operation, permission }) => [operation, permission]),
      ),
    ]),
  );
}

export function collectEvents(
  modules: readonly LoadedModule[],
): Map<string, Readonly<Record<string, EventDefinition>>> {
  return new Map(modules.map(({ alias, definition }) => [alias, definition.events ?? {}]));
}

/** The types of notifications of all modules, by name. */
export function collectNotificationTypes(modules: readonly LoadedModule[]): Record<string, DeclaredNotificationType> {
  const types = modules.flatMap(({ alias: module, definition }) =>
    Object.entries(definition.notifications ?? {}).map(([name, type]) => [name, { ...type, module }] as const),
  );
  return Object.fromEntries(types);
}

/** The modules that every tenant gets. */
export function listAutoInstalled(modules: readonly LoadedModule[]): string[] {
  return modules.filter(({ manifest }) => manifest.auto_install && !manifest.system).map(({ alias }) => alias);
}

export function collectListeners(modules: readonly LoadedModule[]): RegisteredListener[] {
  return modules.flatMap(({ alias, definition }) =>
    (definition.listeners ?? []).map((listener) => ({ ...listener, module: alias })),
  );
}

/** The identity of the one module that provides it. Without such a module all callers are anonymous. */
export async function createIdentity(modules: readonly LoadedModule[], system: SystemServices): Promise<Identity> {
  const [module, other] = modules.filter(({ definition }) => definition.identity);
  if (other) throw new Error(`the modules ${module?.alias} and ${other.alias} both provide an identity`);
  return module?.definition.identity?.(system) ?? noIdentity;
}

const noIdentity: Identity = {
  authenticate: async () => undefined,
  membership: async () => undefined,
  rights: async () => undefined,
  session: async () => undefined,
  onChange: () => {},
};

type RunTask = (task: Task, action: RegisteredAction) => Promise<unknown>;
type AddForTenants = (task: Task, tenants: readonly string[]) => Promise<void>;

/** The jobs of the kernel and of all modules, as handlers and schedules of the queues. */
export function collectJobs(
  modules: readonly LoadedModule[],
  kernelJobs: Readonly<Record<string, Job>>,
  installations: Installations,
  runTask: RunTask,
  addForTenants: AddForTenants,
): { handlers: Map<string, JobHandler>; schedules: Map<string, string> } {
  const jobs = [
    ...Object.entries(kernelJobs).map(([name, job]) => ({ module: undefined, version: undefined, name, job })),
    ...modules.flatMap(({ alias: module, manifest: { version }, definition }) =>
      Object.entries(definition.jobs ?? {}).map(([name, job]) => ({ module, version, name, job })),
    ),
  ];
  const handlers = new Map<string, JobHandler>();
  const schedules = new Map<string, string>();
  for (const { module, version, name, job } of jobs) {
    if (job.schedule) schedules.set(name, job.schedule);
    const onlyActive = job.schedule !== undefined && runsEveryHour(job.schedule);
    const action = jobAction(name, module, job);
    handlers.set(name, {
      module,
      version,
      data: job.data,
      queue: job.queue ?? 'default',
      batchSize: job.batchSize ?? 1,
      retries: job.retries ?? defaultRetries,
      system: job.system ?? false,
      async perform(task) {
        if (task.tenant !== '' || job.system) return runTask(task, action);
        // A scheduled task names no tenant.
        const tenants = await installations.tenantsWith(module, { onlyActive });
        return addForTenants(task, tenants);
      },
    });
  }
  return { handlers, schedules };
}

/** A job as an action that only the platform calls. Its data was validated when it was added. */
function jobAction(name: string, module: string | undefined, job: Job): RegisteredAction {
  const declaration = { summary: name, internal: true, unchecked: true, run: job.run } as const;
  return registerActions({ [name]: declaration }, { module, tag: '' })[0] as RegisteredAction;
}
