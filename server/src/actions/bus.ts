import type { MaybePromise } from '@chowk/kit';
import { type Ctx, Json } from '@chowk/kit';
import { fail } from '../errors.ts';
import type { RateLimiter } from '../rate-limiter.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import type { AuditLog, AuditRecord } from './audit-log.ts';
import { authorise, type Who } from './authorise.ts';
import { perform } from './perform.ts';
import type { RegisteredAction } from './registry.ts';

/** Who calls, from where. Made by the kernel from the module that the code belongs to; no argument can change it. */
export interface CallFrame extends Who {
  readonly tenant: TenantEntry;
  /** The calling module. */
  readonly module: string;
  readonly requestId: string;
  readonly depth: number;
  /** The lines of the audit log that are committed with the transaction that the caller is in. */
  readonly lines?: AuditRecord[] | undefined;
  /** The context in which the called action runs: same tenant, user and transaction, one level deeper. */
  enter(action: RegisteredAction, record: AuditRecord): Ctx;
}

export interface BusOptions {
  readonly actions: ReadonlyMap<string, RegisteredAction>;
  /** The operations that each module may call, with the permission that a call needs instead of the operation's own. */
  readonly consumes: ReadonlyMap<string, ReadonlyMap<string, string | undefined>>;
  readonly hasModule: (tenantId: string, alias: string) => MaybePromise<boolean>;
  readonly limiter: RateLimiter;
  readonly audit: AuditLog;
}

/** Deeper than any honest chain of modules: what goes on beyond is going round in circles. */
const mostLevels = 16;

/** The one way from module to module: declared, permitted, limited, checked, audited. */
export class Bus {
  readonly #options: BusOptions;

  constructor(options: BusOptions) {
    this.#options = options;
  }

  async call(frame: CallFrame, name: string, input: unknown): Promise<unknown> {
    const { audit } = this.#options;
    const record = audit.begin({ ...frame, transport: 'bus', userId: frame.caller?.id, action: name, input });
    let action: RegisteredAction;
    try {
      action = await this.#admit(frame, name);
    } catch (error) {
      audit.fail(record, error);
      throw error;
    }
    // What is undone with its caller leaves no line that says otherwise.
    if (!action.isReadOnly) record.transactionLines = frame.lines;
    const output = await perform(audit, { action, input: copyOf(input), record, ctx: frame.enter(action, record) });
    return output instanceof Json ? output.value : output;
  }

  async #admit(frame: CallFrame, name: string): Promise<RegisteredAction> {
    const { module, tenant, depth } = frame;
    const { actions, consumes, hasModule, limiter } = this.#options;
    const action = actions.get(name);
    if (!action?.bus || (action.module !== module && !consumes.get(module)?.has(name))) {
      throw fail('bus.not_declared', { caller: module, name });
    }
    if (depth >= mostLevels) throw fail('bus.too_deep', { name });
    await authorise(hasModule, action, frame, consumes.get(module)?.get(name));
    const { allowed, seconds } = limiter.take(`${tenant.id} ${module} ${name}`, action.bus.rateLimit, Date.now());
    if (!allowed) throw fail('bus.rate_limited', { name, seconds }, { headers: { 'Retry-After': String(seconds) } });
    return action;
  }
}

/** Validation changes an input in place; the copy leaves the caller's value as it was. */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copyOf(inner)]));
}
