import { type Ctx, Failure, type Operation } from '@chowk/kit';
import { fail } from '../errors.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { RateLimiter } from '../rate-limiter.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { compileBody, type Validator } from '../validation.ts';
import type { AuditLog } from './audit.ts';

/** An operation as the bus knows it: from the manifest what it allows, from the code what it does. */
export interface ProvidedOperation {
  readonly module: string;
  readonly name: string;
  readonly permission: string | undefined;
  /** Calls a minute for each caller in each tenant. */
  readonly rateLimit: number;
  readonly operation: Operation;
}

/** Who calls, from where. Made by the kernel from the module that the code belongs to; no argument can change it. */
export interface CallFrame {
  readonly caller: string;
  readonly tenant: TenantEntry;
  readonly userId: number | undefined;
  readonly requestId: string;
  readonly depth: number;
  can(permission: string): boolean;
  /** The context in which the called module runs: same tenant, user and transaction, one level deeper. */
  enter(module: string): Ctx;
}

export interface BusOptions {
  readonly operations: readonly ProvidedOperation[];
  /** What each module has declared to call. */
  readonly consumes: ReadonlyMap<string, ReadonlySet<string>>;
  readonly hasModule: (tenantId: string, alias: string) => MaybePromise<boolean>;
  readonly limiter: RateLimiter;
  readonly audit: AuditLog;
}

/** Deeper than any honest chain of modules: what goes on beyond is going round in circles. */
const mostLevels = 16;

interface Entry extends ProvidedOperation {
  readonly validate: Validator;
}

/** The one way from module to module: declared, permitted, limited, checked, written down. */
export class Bus {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #options: BusOptions;

  constructor(options: BusOptions) {
    this.#options = options;
    this.#entries = new Map(
      options.operations.map((one) => [one.name, { ...one, validate: compileBody(one.operation.input) }]),
    );
  }

  async call(frame: CallFrame, name: string, input: unknown): Promise<unknown> {
    const startedAt = performance.now();
    const record = this.#options.audit.begin(frame, name, input);
    try {
      const result = await this.#run(frame, name, input);
      this.#options.audit.end(record, performance.now() - startedAt, 'ok');
      return result;
    } catch (error) {
      const code = error instanceof Failure ? error.code : 'http.internal';
      this.#options.audit.end(record, performance.now() - startedAt, isRefusal(code) ? 'refused' : 'failed', code);
      throw error;
    }
  }

  async #run(frame: CallFrame, name: string, input: unknown): Promise<unknown> {
    const { caller, tenant, depth } = frame;
    const entry = this.#entries.get(name);
    if (!entry || (entry.module !== caller && !this.#options.consumes.get(caller)?.has(name))) {
      throw fail('bus.not_declared', { caller, name });
    }
    if (depth >= mostLevels) throw fail('bus.too_deep', { name });
    if (!(await this.#options.hasModule(tenant.id, entry.module))) throw fail('bus.not_installed', { name });
    if (entry.permission !== undefined && !frame.can(entry.permission)) {
      throw fail('auth.forbidden', { permission: entry.permission });
    }
    const { allowed, seconds } = this.#options.limiter.take(
      `${tenant.id} ${caller} ${name}`,
      entry.rateLimit,
      Date.now(),
    );
    if (!allowed) {
      throw fail('bus.rate_limited', { name, seconds }, { headers: { 'Retry-After': String(seconds) } });
    }
    const errors = entry.validate(input);
    if (errors) throw fail('bus.bad_input', { name }, { errors });
    return entry.operation.run(frame.enter(entry.module), input);
  }
}

/** The bus itself said no; the operation was not run. */
function isRefusal(code: string): boolean {
  return code.startsWith('bus.') || code === 'auth.forbidden';
}
