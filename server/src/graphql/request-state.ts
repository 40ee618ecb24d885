import type { Connection, ResolverContext } from '@chowk/kit';
import DataLoader from 'dataloader';
import type { RegisteredAction } from '../actions/registry.ts';
import type { Context } from '../context.ts';
import { fail } from '../errors.ts';
import { callAction, callMany, type GatewayCall } from '../gateway/call-action.ts';
import type { Kernel } from '../kernel.ts';
import type { SharedCache } from '../shared-cache.ts';
import { ConnectionPage } from './connection.ts';

/** What all requests share. */
export interface RequestParts {
  readonly kernel: Kernel;
  readonly actions: ReadonlyMap<string, RegisteredAction>;
  readonly consumes: ReadonlyMap<string, ReadonlyMap<string, string | undefined>>;
}

/** The calls of one GraphQL request. */
export class RequestState {
  readonly ctx: Context;
  readonly #parts: RequestParts;
  readonly #auditsMutations: boolean;
  readonly #loaders = new Map<string, DataLoader<object, unknown, string>>();
  readonly #contexts = new Map<string, ResolverContext>();
  #calls = 0;

  constructor(parts: RequestParts, ctx: Context, auditsMutations: boolean) {
    this.#parts = parts;
    this.ctx = ctx;
    this.#auditsMutations = auditsMutations;
  }

  get cache(): SharedCache {
    return this.#parts.kernel.cache;
  }

  /** Calls an action with an input that the call may change. */
  async call(action: RegisteredAction, input: object, permission?: string): Promise<unknown> {
    try {
      return await callAction(this.#callOf(action, permission), input);
    } finally {
      // What was loaded before a change may be outdated after it.
      if (!action.isReadOnly) for (const loader of this.#loaders.values()) loader.clearAll();
    }
  }

  /** Calls an action; calls at the same time with different inputs become one if it has a batched form. */
  load(action: RegisteredAction, input: object, permission?: string): Promise<unknown> {
    const key = `${action.name} ${permission ?? ''}`;
    let loader = this.#loaders.get(key);
    if (!loader) {
      loader = new DataLoader((inputs) => this.#loadAll(action, inputs, permission), {
        cacheKeyFn: (one: object) => JSON.stringify(one),
        maxBatchSize: 100,
      });
      this.#loaders.set(key, loader);
    }
    return loader.load(input);
  }

  /** A page of an action that lists, read with `call` or `load`. */
  async list(
    read: (query: object) => Promise<unknown>,
    filters: object,
    { first, after }: { readonly first?: number | undefined; readonly after?: string | null | undefined },
  ): Promise<ConnectionPage> {
    const page = await read({ ...filters, limit: first ?? 20, ...(after == null ? {} : { cursor: after }) });
    const count = () => read({ ...filters, page: 1, per_page: 1 });
    return new ConnectionPage(page as object, after != null, count);
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
        const { action, permission } = find(name);
        return this.call(action, { ...input }, permission);
      },
      load: async (name: string, input: object) => {
        const { action, permission } = find(name);
        return this.load(action, input, permission);
      },
      list: async (name: string, filters: object, page: object): Promise<Connection> => {
        const { action, permission } = find(name);
        return this.list((query) => this.load(action, query, permission), filters, page);
      },
    } as ResolverContext;
  }

  /** An action that the module may call: its own, or an operation that it consumes. */
  #findFor(module: string, name: string): { action: RegisteredAction; permission: string | undefined } {
    const { actions, consumes } = this.#parts;
    const action = actions.get(name);
    const consumed = consumes.get(module);
    if (action?.module === module) return { action, permission: undefined };
    if (!action?.bus || !consumed?.has(name)) throw fail('bus.not_declared', { caller: module, name });
    return { action, permission: consumed.get(name) };
  }

  async #loadAll(
    action: RegisteredAction,
    inputs: readonly object[],
    permission: string | undefined,
  ): Promise<(unknown | Error)[]> {
    const copies = inputs.map((input) => structuredClone(input));
    if (action.many && inputs.length > 1) {
      return [...(await callMany(this.#callOf(action, permission), copies))];
    }
    const outputs = await Promise.allSettled(
      copies.map((input) => callAction(this.#callOf(action, permission), input)),
    );
    return outputs.map((output) => (output.status === 'fulfilled' ? output.value : output.reason));
  }

  #callOf(action: RegisteredAction, permission: string | undefined): GatewayCall {
    const isFirst = this.#calls++ === 0;
    return {
      ...{ kernel: this.#parts.kernel, ctx: this.ctx, transport: 'graphql', action, permission, isFirst },
      isAudited: action.isAudited && (action.isReadOnly || this.#auditsMutations),
    };
  }
}
