import type { Caller, Membership } from '@chowk/kit/kernel';
import {
  type Bus,
  type Cache,
  type Changes,
  type Client,
  type Db,
  type DeclaredEvent,
  type DeclaredNotificationType,
  type Emit,
  type EmitAll,
  type FieldErrors,
  type Files,
  type Helper,
  type Helpers,
  type HttpClient,
  invalid,
  type JobQueue,
  type Log,
  type Mail,
  type ModuleOptions,
  type ModuleSecrets,
  type NewNotification,
  type PersonalData,
  type PushService,
  preconditionFailed,
  type Recipients,
  type Session,
  type Settings,
  type SystemCtx,
  type SystemServices,
  type Tenant,
  type TSchema,
  type User,
} from '@chowk/kit/kernel';
import { v7 as uuidv7 } from 'uuid';
import type { AuditEntry } from './actions/audit-log.ts';
import type { Principal } from './actions/authorize.ts';
import { copyOf } from './actions/bus.ts';
import { withAuditEntry } from './actions/invoke.ts';
import type { RegisteredAction } from './actions/registry.ts';
import { type AddedJob, writeJob } from './events/outbox.ts';
import { FileChanges, type FileTransaction } from './files/file-store.ts';
import type { Task } from './jobs/task.ts';
import type { Kernel } from './kernel.ts';
import { isLocalRequest, networkOf, type RequestSource } from './network.ts';
import type { Broadcast } from './realtime/realtime.ts';
import { validatorOf } from './schemas/validation.ts';
import type { TenantEntry } from './tenancy/directory.ts';
import { requireTenant } from './tenancy/resolve-tenant.ts';

export interface ContextParts {
  readonly requestId: string;
  /** The module whose code runs; `undefined` is the kernel. */
  readonly module?: string | undefined;
  readonly tenant?: TenantEntry | undefined;
  readonly user?: Caller | undefined;
  readonly membership?: Membership | undefined;
  /** The request that the call comes from. */
  readonly source?: RequestSource;
  /** The audit entry of the call. */
  readonly auditEntry?: AuditEntry | undefined;
  /** The `If-Match` header: the ETags of the versions that the caller agrees to change. */
  readonly ifMatch?: string | undefined;
  /** The platform itself calls, as in a job: no permission is required. */
  readonly system?: true;
  readonly transaction?: Transaction;
  /** Files that the request has written and not kept yet. */
  readonly writtenFiles?: FileChanges | undefined;
  /** The number of bus calls above this one. */
  readonly depth?: number;
}

/** One transaction, shared by all modules that take part in it. */
interface Transaction {
  readonly db: Db;
  /** The numbers of deliveries of events that wait for the commit. */
  readonly deliveries: Promise<number>[];
  /** Jobs that are moved to their queues after the commit. */
  readonly addedJobs: AddedJob<Task>[];
  /** The audit entries of bus calls in the transaction. */
  readonly auditEntries: AuditEntry[];
  /** Sent to sockets after the commit. */
  readonly broadcasts: Broadcast[];
  /** Shared by the savepoints and the retries. */
  readonly files: FileChanges;
}

/** The client of calls that come from no request. */
const noClient: Client = {
  address: '',
  network: '',
  userAgent: undefined,
  host: '',
  isLocal: true,
  header: () => undefined,
};

/** The context of one call: a request, a job, an event listener or an operator command. */
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
    if (!source) return noClient;
    const { ip: address, host, headers } = source;
    const header = (name: string) => {
      const value = headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    const from = { address, network: networkOf(address), isLocal: isLocalRequest(source) };
    return { ...from, host, userAgent: header('user-agent'), header };
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
    this.#requireSystem('the central database');
    return this.#kernel.central.db;
  }

  get system(): SystemServices {
    this.#requireSystem('ctx.system');
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

  /** Begins a transaction, or a savepoint inside one. Its events are delivered and its jobs queued after the commit. */
  async tx<Result>(work: (ctx: this) => Promise<Result>): Promise<Result> {
    const { transaction: outer, auditEntry } = this.#parts;
    const initial = auditEntry && { changes: auditEntry.changes, resourceId: auditEntry.resourceId };
    const files = outer?.files ?? new FileChanges();
    let transaction: Transaction | undefined;
    const run = () =>
      this.db.tx(async (db) => {
        // A retry must not keep the changes of the attempt that was rolled back.
        if (auditEntry) Object.assign(auditEntry, initial);
        files.isCommitting = false;
        transaction = { db, deliveries: [], addedJobs: [], auditEntries: [], broadcasts: [], files };
        const output = await work(this.#with({ transaction }) as this);
        const entries = [...(auditEntry ? [auditEntry] : []), ...transaction.auditEntries];
        // Not awaited: it is sent together with COMMIT, which fails if the entries cannot be written.
        if (!outer) this.#kernel.audit.write(db, entries).catch(() => {});
        files.isCommitting = !outer;
        return output;
      });
    const settled = outer ? run() : this.#kernel.files.settleAfter(files, run);
    const result = await settled.catch((error) => {
      if (auditEntry) Object.assign(auditEntry, initial);
      throw error;
    });
    if (auditEntry && !outer) Object.assign(auditEntry, { isWritten: true, isCommitted: true });
    const { auditEntries, addedJobs, deliveries, broadcasts } = transaction as unknown as Transaction;
    if (outer) {
      outer.auditEntries.push(...auditEntries);
      outer.addedJobs.push(...addedJobs);
      outer.broadcasts.push(...broadcasts);
      outer.deliveries.push(...deliveries);
    } else {
      if ((await Promise.all(deliveries)).some((count) => count > 0)) this.#kernel.deliveries.wake(this.#tenant);
      if (addedJobs.length > 0) void this.#moveJobs(addedJobs);
      if (broadcasts.length > 0) void this.#broadcast(broadcasts);
    }
    return result;
  }

  /** The context of a call whose audit entry is committed with this transaction. */
  withAuditEntry(auditEntry: AuditEntry | undefined): Context {
    if (auditEntry) auditEntry.transactionEntries = this.#parts.transaction?.auditEntries;
    return this.#with({ auditEntry });
  }

  async inTenant<Result>(id: string, action: string, work: (ctx: Context) => Promise<Result>): Promise<Result> {
    this.#requireSystem('ctx.inTenant');
    const { audit, directory } = this.#kernel;
    const tenant = await requireTenant(directory, id);
    const { requestId, module } = this.#parts;
    const call = { tenant, module, action, requestId, userId: this.userId, input: {}, transport: 'system' } as const;
    const auditEntry = audit.begin(call);
    const ctx = new Context(this.#kernel, { requestId, module, tenant, auditEntry, system: true });
    return withAuditEntry(audit, auditEntry, () => work(ctx));
  }

  /** The user and the tenant of the call, for gateways that call other actions. */
  get principal(): Principal {
    const { tenant, user: caller, membership, system } = this.#parts;
    return { tenant, caller, membership, system };
  }

  /** The context of another module's code in the same request. */
  inModule(module: string | undefined, auditEntry?: AuditEntry): Context {
    return this.#with({ module, auditEntry, ifMatch: undefined });
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
    return (name, payload) => this.#emit(name, [payload]);
  }

  get emitAll(): EmitAll {
    return (name, payloads) => this.#emit(name, payloads);
  }

  async broadcast(channel: string, event: string, data: object): Promise<void> {
    const { transaction } = this.#parts;
    const broadcast = { tenantId: this.#tenant.id, channel, event, data };
    if (transaction) transaction.broadcasts.push(broadcast);
    else await this.#broadcast([broadcast]);
  }

  get declaredEvents(): Readonly<Record<string, DeclaredEvent>> {
    return this.#kernel.events.declared;
  }

  audit(changes: Changes): void {
    const { auditEntry } = this.#parts;
    if (!auditEntry) return;
    auditEntry.changes = { ...auditEntry.changes, ...changes };
    auditEntry.isWritten = false;
  }

  mustMatch({ updated_at }: { readonly updated_at: string }): void {
    const { ifMatch } = this.#parts;
    if (ifMatch === undefined || ifMatch.trim() === '*') return;
    const etags = ifMatch.split(',').map((etag) => etag.trim());
    if (!etags.includes(etagOf(updated_at))) throw preconditionFailed();
  }

  get jobs(): JobQueue {
    return { add: (name: string, data: unknown, { delaySeconds } = {}) => this.#addJob(name, data, { delaySeconds }) };
  }

  async notify(to: Recipients, notification: NewNotification): Promise<void> {
    const message = { module: this.#module, ...notification };
    if (!this.#parts.tenant && to !== 'members') {
      await (await this.inModule(undefined).helpers('identity'))?.storeNotification({ ...message, to });
      return;
    }
    const notifications = await this.helpers('notifications');
    if (notifications) await notifications.send({ ...message, to });
    else this.log.debug({ tenant: this.#tenant.id, type: message.type }, 'the tenant has no notifications module');
  }

  async notificationTypes(): Promise<Readonly<Record<string, DeclaredNotificationType>>> {
    const { notificationTypes, installations, systemModules } = this.#kernel;
    const has = async ({ module }: DeclaredNotificationType) =>
      systemModules.has(module) || installations.has(this.#tenant.id, module);
    const types = Object.entries(notificationTypes);
    const isIncluded = await Promise.all(types.map(([, type]) => has(type)));
    return Object.fromEntries(types.filter((_, index) => isIncluded[index]));
  }

  get push(): PushService | undefined {
    return this.#kernel.push;
  }

  async queueMail(mail: Mail, { id }: { readonly id?: string } = {}): Promise<void> {
    this.#requireSystem('ctx.queueMail');
    const { job, data } = this.#kernel.mailer.taskOf(mail);
    await this.#addJob(job, data, { id });
  }

  get cache(): Cache {
    const { cache } = this.#kernel;
    const scopedKey = (key: string) => `${this.#tenant.id}:${this.#module}:${key}`;
    return {
      async remember<Value>(key: string, seconds: number, make: () => Promise<Value>): Promise<Value> {
        const cached = await cache.get(scopedKey(key));
        if (cached !== undefined) return cached as Value;
        const value = await make();
        await cache.set(scopedKey(key), value, seconds);
        return value;
      },
      forget: (key) => cache.delete(scopedKey(key)),
    };
  }

  get secrets(): ModuleSecrets {
    const { secrets } = this.#kernel;
    const purpose = `module ${this.#module}`;
    const contextOf = (field: string) => `${this.#tenant.id} ${field}`;
    return {
      seal: (field, text) => secrets.seal(purpose, text, contextOf(field)),
      open: (field, sealed) => secrets.open(purpose, sealed, contextOf(field)),
    };
  }

  get http(): HttpClient {
    return this.#kernel.http;
  }

  get options(): ModuleOptions {
    const { twilioUrl } = this.#kernel.config;
    return { twilioUrl };
  }

  get files(): Files {
    const { files } = this.#kernel;
    if (this.#isSystem) {
      const owner = { module: this.#module, tenantId: undefined };
      const inTransaction = files.inCentralTransaction.bind(files);
      return files.of(owner, { db: this.central, request: this.#parts.writtenFiles, inTransaction });
    }
    const { transaction, writtenFiles } = this.#parts;
    return files.of(
      { module: this.#module, tenantId: this.#tenant.id },
      {
        db: this.db,
        request: writtenFiles,
        transaction: transaction?.files,
        inTransaction: (work) =>
          transaction ? work(transaction) : this.tx((tx) => work(tx.#parts.transaction as FileTransaction)),
      },
    );
  }

  centralTx<Result>(work: (db: Db, files: Files) => Promise<Result>): Promise<Result> {
    this.#requireSystem('the central database');
    const { files } = this.#kernel;
    const owner = { module: this.#module, tenantId: undefined };
    return files.inCentralTransaction((transaction) =>
      work(
        transaction.db,
        files.of(owner, {
          db: transaction.db,
          request: this.#parts.writtenFiles,
          transaction: transaction.files,
          inTransaction: (change) => change(transaction),
        }),
      ),
    );
  }

  now(): Date {
    return this.#kernel.now();
  }

  newId(): string {
    return uuidv7();
  }

  async #emit(name: string, payloads: readonly unknown[]): Promise<void> {
    const { transaction, auditEntry } = this.#parts;
    if (!transaction) {
      await this.tx((ctx) => ctx.#emit(name, payloads));
      return;
    }
    const { events } = this.#kernel;
    const frame = {
      module: this.#module,
      tenant: this.#tenant,
      db: transaction.db,
      newId: uuidv7,
      onWrite: (deliveries: Promise<number>) => void transaction.deliveries.push(deliveries),
      contextFor: (module: string) => this.#with({ module, ifMatch: undefined }),
    };
    if (payloads.length === 1 && auditEntry?.action.startsWith(`${this.#module}.`)) {
      auditEntry.resourceId ??= events.definitionOf(this.#module, name).about?.(payloads[0]);
    }
    await events.emit(frame, name, payloads);
  }

  async #addJob(
    name: string,
    data: unknown,
    { delaySeconds, id = this.newId() }: { delaySeconds?: number | undefined; id?: string | undefined },
  ): Promise<void> {
    const { jobs, events } = this.#kernel;
    const { transaction } = this.#parts;
    const { data: schema, system } = jobs.handlerOf(name);
    const errors = schema && validatorOf(schema)(data);
    if (errors) throw new Error(`the data of the job ${name} does not match its schema: ${JSON.stringify(errors)}`);
    const { requestId, userId } = this;
    // System jobs belong to no tenant.
    const task = { job: name, tenant: system ? '' : this.#tenant.id, userId, data, requestId };
    const startAt = delaySeconds === undefined ? undefined : new Date(Date.now() + delaySeconds * 1_000);
    if (!transaction) return jobs.add(task, startAt ? { id, startAt } : { id });
    await events.recordActivity(this.#tenant.id);
    const added = { id, task, startAt: startAt?.toISOString() ?? null };
    await writeJob(transaction.db, added);
    transaction.addedJobs.push(added);
  }

  #call(name: string, input: unknown): Promise<unknown> {
    const { user, membership, system, requestId, depth = 0, transaction } = this.#parts;
    const frame = {
      module: this.#module,
      tenant: this.#tenant,
      caller: user,
      membership,
      system,
      requestId,
      depth,
      auditEntries: transaction?.auditEntries,
      contextFor: ({ module }: RegisteredAction, auditEntry: AuditEntry) =>
        this.#with({ module, auditEntry, depth: depth + 1, ifMatch: undefined }),
    };
    return this.#kernel.bus.call(frame, name, input);
  }

  #with(changes: Partial<ContextParts>): Context {
    return new Context(this.#kernel, { ...this.#parts, ...changes });
  }

  async #moveJobs(added: readonly AddedJob<Task>[]): Promise<void> {
    try {
      await this.#kernel.deliveries.moveJobs(this.#tenant, added);
    } catch (error) {
      this.log.warn({ err: error, tenant: this.#tenant.id }, 'added jobs wait for the next sweep');
    }
  }

  /** One after the other, so that they arrive in order. */
  async #broadcast(broadcasts: readonly Broadcast[]): Promise<void> {
    try {
      for (const broadcast of broadcasts) await this.#kernel.realtime.broadcast(broadcast);
    } catch (error) {
      this.log.warn({ err: error, tenant: this.#tenant.id }, 'could not send an event to sockets');
    }
  }

  #requireSystem(feature: string): void {
    if (this.#isSystem) return;
    throw new Error(
      `the module ${this.#module} may not use ${feature}; only modules with "system": true in module.json may`,
    );
  }

  get #isSystem(): boolean {
    const { module } = this.#parts;
    return module === undefined || this.#kernel.systemModules.has(module);
  }

  get #caller(): Caller {
    const { user } = this.#parts;
    if (!user) throw new Error('the call has no signed-in user; declare `needs` on the action');
    return user;
  }

  get #module(): string {
    return this.#parts.module ?? 'kernel';
  }

  get #tenant(): TenantEntry {
    const { tenant } = this.#parts;
    if (!tenant) throw new Error("the call is bound to no tenant; declare `tenant: 'required'` on the action");
    return tenant;
  }
}

/** The `ETag` of a record, derived from its `updated_at`. */
export function etagOf(updatedAt: string): string {
  return `"${updatedAt}"`;
}
