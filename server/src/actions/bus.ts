import { type Ctx, Json } from '@chowk/kit/kernel';
import { fail } from '../errors.ts';
import type { RateLimiter } from '../rate-limiter.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import type { AuditEntry, AuditLog } from './audit-log.ts';
import { authorize, type Principal } from './authorize.ts';
import { invoke } from './invoke.ts';
import type { RegisteredAction } from './registry.ts';

/** The caller of a bus operation. The kernel derives it from the module whose code runs; no argument can change it. */
export interface CallFrame extends Principal {
  readonly tenant: TenantEntry;
  /** The calling module. */
  readonly module: string;
  readonly requestId: string;
  readonly depth: number;
  /** The audit entries that are committed with the caller's transaction. */
  readonly auditEntries?: AuditEntry[] | undefined;
  /** The context of the called action: same tenant, user and transaction, one level deeper. */
  contextFor(action: RegisteredAction, auditEntry: AuditEntry): Ctx;
}

export interface BusOptions {
  readonly actions: ReadonlyMap<string, RegisteredAction>;
  /** The operations that each module may call, with the permission that a call needs instead of the operation's own. */
  readonly consumes: ReadonlyMap<string, ReadonlyMap<string, string | undefined>>;
  readonly hasModule: (tenantId: string, alias: string) => Promise<boolean>;
  readonly limiter: RateLimiter;
  readonly audit: AuditLog;
}

/** Deeper chains of calls are treated as circular. */
const maxDepth = 16;

/** Calls between modules: checks declaration, permission, rate limit and input, and writes the audit log. */
export class Bus {
  readonly #options: BusOptions;

  constructor(options: BusOptions) {
    this.#options = options;
  }

  async call(frame: CallFrame, name: string, input: unknown): Promise<unknown> {
    const { audit } = this.#options;
    const auditEntry = audit.begin({ ...frame, transport: 'bus', userId: frame.caller?.id, action: name, input });
    let action: RegisteredAction;
    try {
      action = await this.#authorize(frame, name);
    } catch (error) {
      audit.fail(auditEntry, error);
      throw error;
    }
    // If the caller's transaction is rolled back, the entry is not written either.
    if (!action.isReadOnly) auditEntry.transactionEntries = frame.auditEntries;
    const ctx = frame.contextFor(action, auditEntry);
    const output = await invoke(audit, { action, input: copyOf(input), auditEntry, ctx });
    return output instanceof Json ? output.value : output;
  }

  async #authorize(frame: CallFrame, name: string): Promise<RegisteredAction> {
    const { module, tenant, depth } = frame;
    const { actions, consumes, hasModule, limiter } = this.#options;
    const action = actions.get(name);
    if (!action?.bus || (action.module !== module && !consumes.get(module)?.has(name))) {
      throw fail('bus.not_declared', { caller: module, name });
    }
    if (depth >= maxDepth) throw fail('bus.too_deep', { name });
    await authorize(hasModule, action, frame, consumes.get(module)?.get(name));
    const { allowed, seconds } = limiter.take(`${tenant.id} ${module} ${name}`, action.bus.rateLimit, Date.now());
    if (!allowed) throw fail('bus.rate_limited', { name, seconds }, { headers: { 'Retry-After': String(seconds) } });
    return action;
  }
}

/** Validation normalizes the input in place; the caller's object must not change. */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copyOf(inner)]));
}
