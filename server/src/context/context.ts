import type { Readable } from 'node:stream';
import {
  type AboutCustomer,
  type Audience,
  type BulkResult,
  type Bus,
  type Cache,
  type Caller,
  type Changes,
  type Client,
  type Db,
  type DeclaredEvent,
  type DeclaredNotificationType,
  defaultApiVersion,
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
  type ReadMail,
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
import { isOfVersion } from '../etag.ts';
import { newId } from '../ids.ts';
import type { Kernel } from '../kernel.ts';
import { isLocalRequest, networkPrefix, networkSite } from '../network.ts';
import { closedClient } from '../outbound/closed-client.ts';
import { getValidator } from '../schemas/validation.ts';
import type { TenantEntry } from '../tenancy/directory.ts';
import { requireTenant } from '../tenancy/resolve-tenant.ts';
import { findAudience } from './audience.ts';
import { ModuleBus } from './bus.ts';
import type { ContextOptions } from './context-options.ts';
import { centralFiles, tenantFiles } from './files.ts';
import { addJob } from './jobs.ts';
import { enabledNotificationTypes, notify } from './notify.ts';
import { mustBeOutside, runInside } from './open-transactions.ts';
import { type EachOptions, performAction, performEach } from './perform.ts';
import { runTransaction, sendBroadcasts, type Transaction } from './transaction.ts';

/** The client of calls that come from no request. */
const noClient: Client = {
  address: '',
  network: '',
  site: '',
  userAgent: undefined,
  host: '',
  isLocal: true,
  header: () => undefined,
};

/** The context of one call: a request, a job, an event listener or an operator command. */
export class Context implements SystemCtx {
  readonly #kernel: Kernel;
  readonly #options: ContextOptions;
  /** Shared by the contexts that are in the same transaction, or in none. */
  readonly #scope: object;

  constructor(kernel: Kernel, options: ContextOptions, scope: object = {}) {
    this.#kernel = kernel;
    this.#options = options;
    this.#scope = scope;
  }

  get requestId(): string {
    return this.#options.requestId;
  }

  get log(): Log {
    return this.#kernel.log;
  }

  get apiVersion(): string {
    return defaultApiVersion;
  }

  get tenantUrl(): string {
    const { appUrl, baseDomain } = this.#kernel.config;
    const { protocol, port } = new URL(appUrl);
    return `${protocol}//${this.tenant.id}.${baseDomain}${port && `:${port}`}`;
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
    const { source } = this.#options;
    if (!source) return noClient;
    const { ip: address = '', host, headers } = source;
    const header = (name: string) => {
      const value = headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    const network = networkPrefix(address);
    const from = { address, network, site: networkSite(network), isLocal: isLocalRequest(source) };
    return { ...from, host, userAgent: header('user-agent'), header };
  }

  get tenantId(): string | undefined {
    return this.#options.tenant?.id;
  }

  get membership(): Membership | undefined {
    return this.#options.membership;
  }

  get userId(): number | undefined {
    return this.#options.user?.id;
  }

  get db(): Db {
    mustBeOutside(this.#scope);
    return this.#options.transaction?.db ?? this.#tenant.db;
  }

  get central(): Db {
    this.#requireSystem('the central database');
    return this.#options.central ?? this.#kernel.central.db;
  }

  get system(): SystemServices {
    this.#requireSystem('ctx.system');
    return this.#kernel.services;
  }

  can(permission: string): boolean {
    return this.#options.system ?? this.#options.membership?.permissions.has(permission) ?? false;
  }

  check(schema: TSchema, value: unknown): FieldErrors | undefined {
    return getValidator(schema)(value);
  }

  settings(): Promise<Settings> {
    return this.#kernel.settings.get(this.#tenant.id);
  }

  /** Begins a transaction, or a savepoint inside one. Its events are delivered and its jobs queued after the commit. */
  tx<Result>(work: (ctx: this) => Promise<Result>): Promise<Result> {
    mustBeOutside(this.#scope);
    const { transaction: outer, auditEntry } = this.#options;
    const derive = (transaction: Transaction) => this.#with({ transaction }, {}) as this;
    return runTransaction(this.#kernel, { tenant: this.#tenant, outer, auditEntry, derive }, (tx) =>
      runInside(this.#scope, () => work(tx)),
    );
  }

  /** Runs `work` in the current transaction or in a new one. */
  joinTx<Result>(work: (ctx: this) => Promise<Result>): Promise<Result> {
    return this.#options.transaction ? work(this) : this.tx(work);
  }

  /** The context of a call whose audit entry is committed with this transaction. */
  withAuditEntry(auditEntry: AuditEntry | undefined): Context {
    if (auditEntry) auditEntry.transactionEntries = this.#options.transaction?.auditEntries;
    return this.#with({ auditEntry });
  }

  async inTenant<Result>(id: string, action: string, work: (ctx: Context) => Promise<Result>): Promise<Result> {
    this.#requireSystem('ctx.inTenant');
    const { audit, directory } = this.#kernel;
    const tenant = await requireTenant(directory, id);
    const { requestId, module } = this.#options;
    const call = { tenant, module, action, requestId, userId: this.userId, input: {}, transport: 'system' } as const;
    const auditEntry = audit.begin(call);
    const ctx = new Context(this.#kernel, { requestId, module, tenant, auditEntry, system: true });
    return withAuditEntry(audit, auditEntry, () => work(ctx));
  }

  /** The user and the tenant of the call, for gateways that call other actions. */
  get principal(): Principal {
    const { tenant, user: caller, membership, system } = this.#options;
    return { tenant, caller, membership, system };
  }

  /** The context of another module's code in the same request. */
  inModule(module: string | undefined, auditEntry?: AuditEntry, ifMatch?: string): Context {
    return this.#with({ module, auditEntry, callingModule: undefined, ifMatch });
  }

  get bus(): Bus {
    return new ModuleBus(this.#kernel, this.#options, (changes) => this.#with(changes)) as Bus;
  }

  async perform(name: string, input: object): Promise<unknown> {
    const { output } = await performAction(this.#kernel, this.#options, { name, input, createContext: () => this });
    return output;
  }

  performEach<Item>(items: readonly Item[], how: EachOptions<Item>): Promise<BulkResult[]> {
    const ctx = this.#with({ auditEntry: undefined, ifMatch: undefined });
    return performEach(this.#kernel, this.#options, { ctx, items, ...how });
  }

  get callingModule(): string | undefined {
    return this.#options.callingModule;
  }

  withCentral(central: Db): Context {
    this.#requireSystem('the central database');
    return this.#with({ central });
  }

  get personalData(): PersonalData {
    return this.#kernel.personalData(this.db, (module, id) => this.#with({ module }).files.remove(id));
  }

  get emit(): Emit {
    return (name, payload) => this.#emit(name, [payload]);
  }

  get emitAll(): EmitAll {
    return (name, payloads) => this.#emit(name, payloads);
  }

  async broadcast(channel: string, event: string, data: object): Promise<void> {
    mustBeOutside(this.#scope);
    const { transaction } = this.#options;
    const broadcast = { tenantId: this.#tenant.id, channel, event, data };
    if (transaction) transaction.broadcasts.push(broadcast);
    else await sendBroadcasts(this.#kernel, this.#tenant, [broadcast]);
  }

  get realtimeKey(): string {
    return this.#kernel.realtime.key;
  }

  async audience(userId?: number | null): Promise<Audience> {
    const { identity, events, installations } = this.#kernel;
    return findAudience({ identity, events, installations }, this.principal, userId);
  }

  get declaredEvents(): Readonly<Record<string, DeclaredEvent>> {
    return this.#kernel.events.declared;
  }

  audit(changes: Changes): void {
    const { auditEntry } = this.#options;
    if (!auditEntry) return;
    auditEntry.changes = { ...auditEntry.changes, ...changes };
    auditEntry.isWritten = false;
  }

  mustMatch({ updated_at }: { readonly updated_at: string }): void {
    const { ifMatch } = this.#options;
    if (ifMatch === undefined || ifMatch.trim() === '*') return;
    const etags = ifMatch.split(',').map((etag) => etag.trim());
    if (!etags.some((etag) => isOfVersion(etag, updated_at))) throw preconditionFailed();
  }

  get jobs(): JobQueue {
    return {
      add: async (name: string, data: unknown, { delaySeconds } = {}) => {
        mustBeOutside(this.#scope);
        await addJob(this.#kernel, this.#options, { name, data, id: newId(), delaySeconds });
      },
    };
  }

  notify(to: Recipients, notification: NewNotification & AboutCustomer): Promise<void> {
    const { bus } = this.#with({ module: undefined });
    return notify(this.#kernel, this.#options, bus, to, notification);
  }

  notificationTypes(): Promise<Readonly<Record<string, DeclaredNotificationType>>> {
    return enabledNotificationTypes(this.#kernel, this.#tenant.id);
  }

  get push(): PushService | undefined {
    return this.#options.tenant?.isSandbox ? undefined : this.#kernel.push;
  }

  async queueMail(mail: Mail, { id }: { readonly id?: string } = {}): Promise<void> {
    this.#requireSystem('ctx.queueMail');
    mustBeOutside(this.#scope);
    if (this.#options.tenant?.isSandbox) return;
    const { job, data } = this.#kernel.mailer.createTask(mail);
    await addJob(this.#kernel, this.#options, { name: job, data, id: id ?? newId() });
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
      sign: (field, text) => secrets.signAll(purpose, JSON.stringify([this.#tenant.id, field, text])),
    };
  }

  get http(): HttpClient {
    const { http } = this.#kernel;
    return this.#options.tenant?.isSandbox ? closedClient(http) : http;
  }

  get options(): ModuleOptions {
    const { twilioUrl, stripeUrl, razorpayUrl, messagesPerDay, mailUrl, mailFrom, inboundSmtpPort, inboundMailDomain } =
      this.#kernel.config;
    const hasMailServer = mailUrl !== undefined;
    const mailDomain = inboundSmtpPort === undefined ? null : inboundMailDomain;
    return { twilioUrl, stripeUrl, razorpayUrl, messagesPerDay, hasMailServer, mailFrom, mailDomain };
  }

  get files(): Files {
    const { files } = this.#kernel;
    if (this.#isSystem) return centralFiles(files, this.#options, this.central);
    return tenantFiles(files, this.#options, (work) => this.tx((tx) => work(tx.#options.transaction as Transaction)));
  }

  readMail(mail: Uint8Array | Readable): Promise<ReadMail> {
    return this.#kernel.mailReader.read(mail);
  }

  centralTx<Result>(work: (db: Db, files: Files) => Promise<Result>): Promise<Result> {
    this.#requireSystem('the central database');
    const { files } = this.#kernel;
    return files.inCentralTransaction((transaction) =>
      work(transaction.db, centralFiles(files, this.#options, this.central, transaction)),
    );
  }

  now(): Date {
    return this.#kernel.now();
  }

  newId(): string {
    return newId();
  }

  async #emit(name: string, payloads: readonly unknown[]): Promise<void> {
    const { transaction, auditEntry } = this.#options;
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
      auditEntry.resourceId ??= events.getDefinition(this.#module, name).subject?.(payloads[0]);
    }
    await events.emit(frame, name, payloads);
  }

  #with(changes: Partial<ContextOptions>, scope = this.#scope): Context {
    return new Context(this.#kernel, { ...this.#options, ...changes }, scope);
  }

  #requireSystem(feature: string): void {
    if (this.#isSystem) return;
    throw new Error(
      `the module ${this.#module} may not use ${feature}; only modules with "system": true in module.json may`,
    );
  }

  get #isSystem(): boolean {
    const { module } = this.#options;
    return module === undefined || this.#kernel.systemModules.has(module);
  }

  get #caller(): Caller {
    const { user } = this.#options;
    if (!user) throw new Error('the call has no signed-in user; declare `needs` on the action');
    return user;
  }

  get #module(): string {
    return this.#options.module ?? 'kernel';
  }

  get #tenant(): TenantEntry {
    const { tenant } = this.#options;
    if (!tenant) throw new Error("the call is bound to no tenant; declare `tenant: 'required'` on the action");
    return tenant;
  }
}
