import {
  type Bus,
  type Cache,
  type Caller,
  type Changes,
  type Client,
  type Db,
  type DeclaredEvent,
  type DeclaredNotificationType,
  type Emit,
  type EmitAll,
  type FieldErrors,
  type Files,
  type HttpClient,
  type JobQueue,
  type Log,
  type Mail,
  type Membership,
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
import { type AuditEntry, withAuditEntry } from '../actions/audit-log.ts';
import type { Principal } from '../actions/authorize.ts';
import { recordEtag } from '../etag.ts';
import { newId } from '../ids.ts';
import type { Kernel } from '../kernel.ts';
import { isLocalRequest, networkPrefix } from '../network.ts';
import { getValidator } from '../schemas/validation.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { requireTenant } from '../tenancy/resolve-tenant.ts';
import { ModuleBus } from './bus.ts';
import { centralFiles, tenantFiles } from './files.ts';
import { addJob } from './jobs.ts';
import { enabledNotificationTypes, notify } from './notify.ts';
import type { ContextParts } from './parts.ts';
import { runTransaction, sendBroadcasts, type Transaction } from './transaction.ts';

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
    const from = { address, network: networkPrefix(address), isLocal: isLocalRequest(source) };
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
    return this.#parts.central ?? this.#kernel.central.db;
  }

  get system(): SystemServices {
    this.#requireSystem('ctx.system');
    return this.#kernel.services;
  }

  can(permission: string): boolean {
    return this.#parts.system ?? this.#parts.membership?.permissions.has(permission) ?? false;
  }

  check(schema: TSchema, value: unknown): FieldErrors | undefined {
    return getValidator(schema)(value);
  }

  settings(): Promise<Settings> {
    return this.#kernel.settings.of(this.#tenant.id);
  }

  /** Begins a transaction, or a savepoint inside one. Its events are delivered and its jobs queued after the commit. */
  tx<Result>(work: (ctx: this) => Promise<Result>): Promise<Result> {
    const { transaction: outer, auditEntry } = this.#parts;
    const derive = (transaction: Transaction) => this.#with({ transaction }) as this;
    return runTransaction(this.#kernel, { tenant: this.#tenant, outer, auditEntry, derive }, work);
  }

  /** Runs `work` in the current transaction or in a new one. */
  joinTx<Result>(work: (ctx: this) => Promise<Result>): Promise<Result> {
    return this.#parts.transaction ? work(this) : this.tx(work);
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
    return this.#with({ module, auditEntry, callingModule: undefined, ifMatch: undefined });
  }

  get bus(): Bus {
    return new ModuleBus(this.#kernel, this.#parts, (changes) => this.#with(changes)) as Bus;
  }

  get callingModule(): string | undefined {
    return this.#parts.callingModule;
  }

  withCentral(central: Db): Context {
    this.#requireSystem('the central database');
    return this.#with({ central });
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
    else await sendBroadcasts(this.#kernel, this.#tenant, [broadcast]);
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
    if (!etags.includes(recordEtag(updated_at))) throw preconditionFailed();
  }

  get jobs(): JobQueue {
    return {
      add: (name: string, data: unknown, { delaySeconds } = {}) =>
        addJob(this.#kernel, this.#parts, { name, data, id: newId(), delaySeconds }),
    };
  }

  notify(to: Recipients, notification: NewNotification): Promise<void> {
    const { bus } = this.#with({ module: undefined });
    return notify(this.#kernel, this.#parts, bus, to, notification);
  }

  notificationTypes(): Promise<Readonly<Record<string, DeclaredNotificationType>>> {
    return enabledNotificationTypes(this.#kernel, this.#tenant.id);
  }

  get push(): PushService | undefined {
    return this.#kernel.push;
  }

  async queueMail(mail: Mail, { id }: { readonly id?: string } = {}): Promise<void> {
    this.#requireSystem('ctx.queueMail');
    const { job, data } = this.#kernel.mailer.createTask(mail);
    await addJob(this.#kernel, this.#parts, { name: job, data, id: id ?? newId() });
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
    const fieldContext = (field: string) => `${this.#tenant.id} ${field}`;
    return {
      seal: (field, text) => secrets.seal(purpose, text, fieldContext(field)),
      open: (field, sealed) => secrets.open(purpose, sealed, fieldContext(field)),
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
    if (this.#isSystem) return centralFiles(files, this.#parts, this.central);
    return tenantFiles(files, this.#parts, (work) => this.tx((tx) => work(tx.#parts.transaction as Transaction)));
  }

  centralTx<Result>(work: (db: Db, files: Files) => Promise<Result>): Promise<Result> {
    this.#requireSystem('the central database');
    const { files } = this.#kernel;
    return files.inCentralTransaction((transaction) =>
      work(transaction.db, centralFiles(files, this.#parts, this.central, transaction)),
    );
  }

  now(): Date {
    return this.#kernel.now();
  }

  newId(): string {
    return newId();
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
      newId,
      onWrite: (deliveries: Promise<number>) => void transaction.deliveries.push(deliveries),
      contextFor: (module: string) => this.#with({ module, callingModule: undefined, ifMatch: undefined }),
    };
    if (payloads.length === 1 && auditEntry?.action.startsWith(`${this.#module}.`)) {
      auditEntry.resourceId ??= events.getDefinition(this.#module, name).about?.(payloads[0]);
    }
    await events.emit(frame, name, payloads);
  }

  #with(changes: Partial<ContextParts>): Context {
    return new Context(this.#kernel, { ...this.#parts, ...changes });
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
