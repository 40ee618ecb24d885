import type { Caller, Membership } from '@chowk/kit';
import {
  type Bus,
  type Cache,
  type Changes,
  type Client,
  type Db,
  type Emit,
  type EmitOptions,
  type FieldErrors,
  type Helper,
  type Helpers,
  invalid,
  type JobQueue,
  type Log,
  type PersonalData,
  preconditionFailed,
  type Session,
  type Settings,
  type SystemCtx,
  type SystemServices,
  type Tenant,
  type TSchema,
  type User,
} from '@chowk/kit';
import { v7 as uuidv7 } from 'uuid';
import type { AuditRecord } from './actions/audit-log.ts';
import { copyOf } from './actions/bus.ts';
import type { RegisteredAction } from './actions/registry.ts';
import type { Kernel } from './kernel.ts';
import { networkOf } from './network.ts';
import type { TenantEntry } from './tenancy/directory.ts';
import { validatorOf } from './validation.ts';

export interface ContextParts {
  readonly requestId: string;
  /** The module whose code runs; `undefined` is the kernel. */
  readonly module?: string | undefined;
  readonly tenant?: TenantEntry | undefined;
  readonly user?: Caller | undefined;
  readonly membership?: Membership | undefined;
  /** Where the call comes from; read only when needed. */
  readonly source?: { readonly ip: string; readonly headers: NodeJS.Dict<string | string[]> };
  /** The line of the audit log that the call leaves. */
  readonly record?: AuditRecord | undefined;
  /** The versions that the caller accepts to change, as `If-Match` names them. */
  readonly ifMatch?: string | undefined;
  /** The platform itself acts, as in a job: there is nobody whose permissions could be asked. */
  readonly system?: true;
  readonly transaction?: Transaction;
  /** How many modules deep the call is. */
  readonly depth?: number;
}

/** One transaction, shared by every module that has joined it. */
interface Transaction {
  readonly db: Db;
  /** Something was emitted that others must hear of once it is committed. */
  emitted: boolean;
  /** The audit lines of the calls over the bus that are part of it. */
  readonly lines: AuditRecord[];
}

/** Where the platform's own doings come from. */
const nowhere: Client = { address: '', network: '', userAgent: undefined, header: () => undefined };

/** The context of one call: a request, a job, an event or an operator's command. */
export class Context implements SystemCtx {
  readonly #kernel: Kernel;
  readonly #parts: ContextParts;

  constructor(kernel: Kernel, parts: ContextParts) {
    this.#kernel = kernel;
    this.#parts = parts;
  }

  get requestId(): string {
    return this.#parts.requestId;
  }

  get log(): Log {
    return this.#kernel.log;
  }

  get tenant(): Tenant {
    return this.#tenant;
  }

  get user(): User {
    return this.#caller;
  }

  get session(): Session {
    return this.#caller.session;
  }

  get client(): Client {
    const { source } = this.#parts;
    if (!source) return nowhere;
    const { ip: address, headers } = source;
    const header = (name: string) => {
      const value = headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    return { address, network: networkOf(address), userAgent: header('user-agent'), header };
  }

  get tenantId(): string | undefined {
    return this.#parts.tenant?.id;
  }

  get membership(): Membership | undefined {
    return this.#parts.membership;
  }

  get userId(): number | undefined {
    return this.#parts.user?.id;
  }

  get db(): Db {
    return this.#parts.transaction?.db ?? this.#tenant.db;
  }

  get central(): Db {
    this.#mustBeSystem('the central database');
    return this.#kernel.central.db;
  }

  get system(): SystemServices {
    this.#mustBeSystem('ctx.system');
    return this.#kernel.services;
  }

  can(permission: string): boolean {
    return this.#parts.system ?? this.#parts.membership?.permissions.has(permission) ?? false;
  }

  check(schema: TSchema, value: unknown): FieldErrors | undefined {
    return validatorOf(schema)(value);
  }

  settings(): Promise<Settings> {
    return this.#kernel.settings.of(this.#tenant.id);
  }

  /** Joins the transaction there is, in a savepoint, or begins one; events are delivered when it is committed. */
  async tx<Result>(work: (ctx: this) => Promise<Result>): Promise<Result> {
    const { transaction: outer, record } = this.#parts;
    const noted = record && { changes: record.changes, resourceId: record.resourceId };
    let transaction: Transaction | undefined;
    const result = await this.db
      .tx(async (db) => {
        // What an earlier try has noted was undone with it.
        if (record) Object.assign(record, noted);
        transaction = { db, emitted: false, lines: [] };
        const done = await work(this.#with({ transaction }) as this);
        if (!outer) await this.#kernel.audit.write(db, [...(record ? [record] : []), ...transaction.lines]);
        return done;
      })
      .catch((error) => {
        if (record) Object.assign(record, noted);
        throw error;
      });
    if (record && !outer) record.isWritten = true;
    if (transaction) outer?.lines.push(...(transaction as Transaction).lines);
    if (transaction?.emitted) {
      if (outer) outer.emitted = true;
      else void this.#drain();
    }
    return result;
  }

  get bus(): Bus {
    return { call: (name: string, input: unknown) => this.#call(name, input) } as Bus;
  }

  async helpers<Alias extends keyof Helpers & string>(alias: Alias): Promise<Helpers[Alias] | undefined> {
    const { helpers, installations, systemModules } = this.#kernel;
    const table = helpers.get(alias);
    if (!table || !(systemModules.has(alias) || (await installations.has(this.#tenant.id, alias)))) return undefined;
    const ctx = this.#with({ module: alias, ifMatch: undefined });
    const call = async (helper: Helper, sent: unknown) => {
      const input = copyOf(sent ?? {});
      const errors = validatorOf(helper.input)(input);
      if (errors) throw invalid(errors);
      return helper.run(ctx, input, this.#module);
    };
    const bound = Object.entries(table)
      .filter(([, { system }]) => !system || this.#isSystem)
      .map(([name, helper]) => [name, (input: unknown) => call(helper, input)]);
    return Object.fromEntries(bound) as unknown as Helpers[Alias];
  }

  get personalData(): PersonalData {
    return this.#kernel.personalData(this.db);
  }

  get emit(): Emit {
    return (name, payload, options) => this.#emit(name, payload, options ?? {});
  }

  audit(changes: Changes): void {
    const { record } = this.#parts;
    if (!record) return;
    record.changes = { ...record.changes, ...changes };
    record.isWritten = false;
  }

  mustMatch({ updated_at }: { readonly updated_at: string }): void {
    const { ifMatch } = this.#parts;
    if (ifMatch === undefined || ifMatch.trim() === '*') return;
    const versions = ifMatch.split(',').map((version) => version.trim());
    if (!versions.includes(versionOf(updated_at))) throw preconditionFailed();
  }

  get jobs(): JobQueue {
    const { requestId, userId } = this;
    return {
      add: (name: string, data: unknown, options = {}) =>
        this.#kernel.jobs.add({ job: name, tenant: this.#tenantOf(name), userId, data, requestId }, options),
    };
  }

  get cache(): Cache {
    const { cache } = this.#kernel;
    const own = (key: string) => `${this.#tenant.id}:${this.#module}:${key}`;
    return {
      async remember<Value>(key: string, seconds: number, make: () => Promise<Value>): Promise<Value> {
        const kept = await cache.get(own(key));
        if (kept !== undefined) return kept as Value;
        const value = await make();
        await cache.set(own(key), value, seconds);
        return value;
      },
      forget: (key) => cache.delete(own(key)),
    };
  }

  now(): Date {
    return this.#kernel.now();
  }

  newId(): string {
    return uuidv7();
  }

  async #emit(name: string, payload: unknown, options: EmitOptions): Promise<void> {
    const { transaction } = this.#parts;
    if (!transaction) {
      await this.tx((ctx) => ctx.#emit(name, payload, options));
      return;
    }
    const frame = {
      module: this.#module,
      tenant: this.#tenant,
      db: transaction.db,
      newId: uuidv7,
      enter: (module: string) => this.#with({ module, ifMatch: undefined }),
    };
    const { record } = this.#parts;
    if (record?.action.startsWith(`${this.#module}.`)) record.resourceId ??= options.about;
    if (await this.#kernel.events.emit(frame, name, payload, options.about)) transaction.emitted = true;
  }

  #call(name: string, input: unknown): Promise<unknown> {
    const { user, membership, system, requestId, depth = 0, transaction } = this.#parts;
    const frame = {
      ...{ module: this.#module, tenant: this.#tenant, caller: user, membership, system, requestId, depth },
      lines: transaction?.lines,
      // What the callee notes belongs to its own line.
      enter: ({ module }: RegisteredAction, record: AuditRecord) =>
        this.#with({ module, record, depth: depth + 1, ifMatch: undefined }),
    };
    return this.#kernel.bus.call(frame, name, input);
  }

  #with(changes: Partial<ContextParts>): Context {
    return new Context(this.#kernel, { ...this.#parts, ...changes });
  }

  async #drain(): Promise<void> {
    try {
      await this.#kernel.events.drain(this.#tenant);
    } catch (error) {
      this.log.warn({ err: error, tenant: this.#tenant.id }, 'events wait in the outbox until the next sweep');
    }
  }

  /** What is done for the platform is done for no tenant. */
  #tenantOf(job: string): string {
    return this.#kernel.jobs.isSystemJob(job) ? '' : this.#tenant.id;
  }

  #mustBeSystem(what: string): void {
    if (this.#isSystem) return;
    throw new Error(`the module ${this.#module} is no system module and may not use ${what}`);
  }

  get #isSystem(): boolean {
    const { module } = this.#parts;
    return module === undefined || this.#kernel.systemModules.has(module);
  }

  get #caller(): Caller {
    const { user } = this.#parts;
    if (!user) throw new Error('nobody is signed in here; the route must say needs');
    return user;
  }

  get #module(): string {
    return this.#parts.module ?? 'kernel';
  }

  get #tenant(): TenantEntry {
    const { tenant } = this.#parts;
    if (!tenant) throw new Error('this call is bound to no tenant; the route must say tenant: required');
    return tenant;
  }
}

/** The `ETag` of a record. */
export function versionOf(updatedAt: string): string {
  return `"${updatedAt}"`;
}
