import { backwardMark, type Connection, invalid, type ResolverContext } from '@chowk/kit/kernel';
import DataLoader from 'dataloader';
import { type Call, callAction, callBatch, outputValue } from '../actions/call.ts';
import type { RegisteredAction } from '../actions/registry.ts';
import { copyInput } from '../context/bus.ts';
import type { Context } from '../context/context.ts';
import { fail } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import type { SharedCache } from '../shared-cache.ts';
import { ConnectionPage } from './connection.ts';

/** The state that all requests share. */
export interface RequestServices {
  readonly kernel: Kernel;
  readonly actions: ReadonlyMap<string, RegisteredAction>;
}

/** How a field calls an action. */
interface CallOptions {
  /** The permission that the call needs instead of the action's own; `null`: none. */
  readonly permission?: string | null | undefined;
  /** As a call of another module. */
  readonly isOverBus?: boolean;
  /** The fields that are needed of a list's records. Default: all. */
  readonly fields?: ReadonlySet<string> | undefined;
  /** The version of the record that the call changes. */
  readonly ifMatch?: string | undefined;
}

/** Which records of a list a connection has. */
interface Window {
  readonly first?: number | undefined;
  readonly after?: string | null | undefined;
  /** Instead of `first` and `after`. */
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** The calls of one GraphQL request. */
export class RequestState {
  readonly ctx: Context;
  readonly #services: RequestServices;
  readonly #auditsMutations: boolean;
  readonly #loaders = new Map<string, DataLoader<object, unknown, string>>();
  readonly #contexts = new Map<string, ResolverContext>();
  #calls = 0;

  constructor(services: RequestServices, ctx: Context, auditsMutations: boolean) {
    this.#services = services;
    this.ctx = ctx;
    this.#auditsMutations = auditsMutations;
  }

  get cache(): SharedCache {
    return this.#services.kernel.cache;
  }

  /** Calls an action with an input that the call may change. */
  async call(action: RegisteredAction, input: object, options: CallOptions = {}): Promise<unknown> {
    try {
      return outputValue(await callAction(this.#services.kernel, this.#prepare(action, options, input)));
    } finally {
      // What was loaded before a change may be outdated after it.
      if (!action.isReadOnly) for (const loader of this.#loaders.values()) loader.clearAll();
    }
  }

  /** Calls an action; concurrent calls with different inputs are batched if it has a `runBatch`. */
  load(action: RegisteredAction, input: object, options: CallOptions = {}): Promise<unknown> {
    const key = `${action.name} ${options.permission ?? ''}`;
    let loader = this.#loaders.get(key);
    if (!loader) {
      loader = new DataLoader((inputs) => this.#loadAll(action, inputs, options), {
        cacheKeyFn: (one: object) => JSON.stringify(one),
        maxBatchSize: 100,
      });
      this.#loaders.set(key, loader);
    }
    return loader.load(input);
  }

  /** A page of a list action, read with `call` or `load`. */
  async list(
    read: (query: object) => Promise<unknown>,
    filters: object,
    { first, after, last, before }: Window,
  ): Promise<ConnectionPage> {
    const isBackward = last != null || before != null;
    if (isBackward && after != null)
      throw invalid({ after: 'Use either `first` and `after`, or `last` and `before`.' });
    const limit = (isBackward ? last : undefined) ?? first ?? 20;
    const cursor = isBackward ? backwardMark + (before ?? '') : (after ?? undefined);
    const page = await read({ ...filters, limit, ...(cursor === undefined ? {} : { cursor }) });
    const count = () => read({ ...filters, page: 1, per_page: 1 });
    const hasCursor = isBackward ? before != null : after != null;
    return new ConnectionPage(page as object, { isBackward, hasCursor }, count);
  }

  /** The context of a module's resolvers. */
  contextFor(module: string): ResolverContext {
    let context = this.#contexts.get(module);
    if (!context) {
      context = this.#createContext(module);
      this.#contexts.set(module, context);
    }
    return context;
  }

  #createContext(module: string): ResolverContext {
    const { ctx } = this;
    const find = (name: string) => this.#findFor(module, name);
    return {
      user: ctx.user,
      tenantId: ctx.tenant.id,
      request: { id: ctx.requestId, header: (name: string) => ctx.client.header(name) },
      hasPermission: (permission: string) => ctx.can(permission),
      call: async (name: string, input: object) => {
        const { action, options } = find(name);
        return this.call(action, { ...input }, options);
      },
      load: async (name: string, input: object) => {
        const { action, options } = find(name);
        return this.load(action, input, options);
      },
      list: async (name: string, filters: object, page: object): Promise<Connection> => {
        const { action, options } = find(name);
        return this.list((query) => this.load(action, query, options), filters, page);
      },
    } as ResolverContext;
  }

  /** An action that the module may call: its own, or an operation that it consumes. */
  #findFor(module: string, name: string): { action: RegisteredAction; options: CallOptions } {
    const { actions, kernel } = this.#services;
    const action = actions.get(name);
    const consumed = kernel.consumes.get(module);
    if (action?.module === module) return { action, options: {} };
    if (!action || !consumed?.has(name)) throw fail('bus.not_declared', { caller: module, name });
    return { action, options: { permission: consumed.get(name), isOverBus: !action.internal } };
  }

  async #loadAll(
    action: RegisteredAction,
    inputs: readonly object[],
    options: CallOptions,
  ): Promise<(unknown | Error)[]> {
    const { kernel } = this.#services;
    const copies = inputs.map((input) => copyInput(input));
    if (action.runBatch && inputs.length > 1) {
      return [...(await callBatch(kernel, this.#prepare(action, options, copies), copies))];
    }
    const outputs = await Promise.allSettled(
      copies.map((input) => callAction(kernel, this.#prepare(action, options, input))),
    );
    return outputs.map((output) => (output.status === 'fulfilled' ? outputValue(output.value) : output.reason));
  }

  #prepare(action: RegisteredAction, { permission, isOverBus, fields, ifMatch }: CallOptions, input: unknown): Call {
    const { ctx } = this;
    const { principal } = ctx;
    const isFirst = this.#calls++ === 0;
    return {
      ...principal,
      action,
      transport: 'graphql',
      requestId: ctx.requestId,
      permission,
      fields,
      // The request itself has been counted; each further call counts like a request.
      countedAddress: isFirst ? undefined : ctx.client.address,
      clientAddress: ctx.client.address,
      // Over the bus, the limit of the operation applies to each user.
      operationKey: isOverBus
        ? `${principal.tenant?.id ?? ''} graphql ${principal.caller?.id ?? ''} ${action.name}`
        : undefined,
      isAudited: action.isAudited,
      // Deletions, and changes that actions describe such as those of amounts, are recorded whatever the setting says.
      auditsChangesOnly: !this.#auditsMutations && !action.isReadOnly && action.method !== 'DELETE',
      knownInput: input,
      readInput: () => input,
      createContext: (auditEntry) => ctx.inModule(action.module, auditEntry, ifMatch),
    };
  }
}
