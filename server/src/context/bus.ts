import { type Call, callAction, outputValue } from '../actions/call.ts';
import type { RegisteredAction } from '../actions/registry.ts';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import type { ContextOptions } from './context-options.ts';

type Derive = (changes: Partial<ContextOptions>) => ReturnType<Call['createContext']>;

/** Deeper chains of calls are treated as circular. */
const maxDepth = 16;

/** `ctx.bus` of a module. The calling module is the one whose code runs; no argument can change it. */
export class ModuleBus {
  readonly #kernel: Kernel;
  readonly #options: ContextOptions;
  readonly #derive: Derive;

  /** `derive` returns the caller's context with other options. */
  constructor(kernel: Kernel, options: ContextOptions, derive: Derive) {
    this.#kernel = kernel;
    this.#options = options;
    this.#derive = derive;
  }

  async call(name: string, input: unknown): Promise<unknown> {
    const action = this.#find(name, input);
    return outputValue(await callAction(this.#kernel, this.#prepare(action, input)));
  }

  async callIfInstalled(name: string, input: unknown): Promise<unknown> {
    return (await this.isInstalled(name)) ? this.call(name, input) : undefined;
  }

  async isInstalled(name: string): Promise<boolean> {
    const { operations, installations } = this.#kernel;
    const { tenant } = this.#options;
    const action = operations.get(name);
    if (!action) return false;
    return !action.module || !tenant || installations.has(tenant.id, action.module);
  }

  /** Throws if the module may not call the operation. The kernel, which has no alias, may call all. */
  #find(name: string, input: unknown): RegisteredAction {
    const { audit, operations, consumes } = this.#kernel;
    const { module, tenant, user, requestId, depth = 0 } = this.#options;
    const action = operations.get(name);
    const isDeclared = action && (module === undefined || action.module === module || consumes.get(module)?.has(name));
    if (isDeclared && depth < maxDepth) return action;
    const failure = isDeclared ? fail('bus.too_deep', { name }) : fail('bus.not_declared', { caller: module, name });
    if (tenant) {
      const call = { tenant, transport: 'bus', module, action: name, userId: user?.id, requestId, input } as const;
      audit.fail(audit.begin(call), failure);
    }
    throw failure;
  }

  /** A call for the same tenant and user and in the same transaction. */
  #prepare(action: RegisteredAction, input: unknown): Call {
    const { requestId, module, tenant, user, membership, system, transaction, depth = 0 } = this.#options;
    return {
      action,
      transport: 'bus',
      requestId,
      module,
      tenant,
      caller: user,
      membership,
      system,
      permission: module === undefined ? undefined : this.#kernel.consumes.get(module)?.get(action.name),
      operationKey: action.internal ? undefined : `${tenant?.id ?? ''} ${module} ${action.name}`,
      isAudited: !action.internal,
      knownInput: input,
      readInput: () => copyInput(input),
      createContext: (auditEntry) => {
        // If the caller's transaction is rolled back, the entry is not written either.
        if (auditEntry && !action.isReadOnly) auditEntry.transactionEntries = transaction?.auditEntries;
        const changes = {
          module: action.module,
          callingModule: module,
          auditEntry,
          depth: depth + 1,
          ifMatch: undefined,
        };
        return this.#derive(changes);
      },
    };
  }
}

/** Validation normalizes the input in place; the caller's object must not change. */
export function copyInput(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyInput);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copyInput(inner)]));
}
