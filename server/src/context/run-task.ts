import { callAction } from '../actions/call.ts';
import type { RegisteredAction } from '../actions/registry.ts';
import type { Task } from '../jobs/task.ts';
import type { Kernel } from '../kernel.ts';
import { Context } from './context.ts';

/** Runs a task; one that a user has started gets an audit entry. */
export async function runTask(kernel: Kernel, task: Task, action: RegisteredAction): Promise<unknown> {
  const { tenant: id, job, requestId, userId, data } = task;
  const { module } = action;
  const isSystemJob = kernel.jobs.isSystemJob(job);
  const tenant = isSystemJob ? undefined : await kernel.directory.entry(id);
  if (tenant?.isSuspended) throw new Error('the tenant is suspended');
  if (!isSystemJob && (!tenant || (module && !(await kernel.installations.has(id, module))))) {
    kernel.log.info({ job, tenant: id }, 'dropped a task: the tenant does not exist or does not have the module');
    return undefined;
  }
  return callAction(kernel, {
    action,
    transport: 'job',
    requestId,
    tenant,
    caller: undefined,
    membership: undefined,
    system: true,
    userId,
    isAudited: userId !== undefined,
    knownInput: data,
    readInput: () => data,
    createContext: (auditEntry) => new Context(kernel, { requestId, module, tenant, auditEntry, system: true }),
  });
}
