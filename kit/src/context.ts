import type { Readable } from 'node:stream';
import type { BulkMode, BulkResult, PlannedCall } from './bulk-result.ts';
import type { Events, Jobs, ModuleOptions, Operations, Settings } from './catalogue.ts';
import type { Changes } from './changes.ts';
import type { Db } from './database.ts';
import type { FieldErrors } from './errors.ts';
import type { Files } from './files.ts';
import type { HttpClient } from './http-client.ts';
import type { Client, Membership, Session, User } from './identity.ts';
import type { Log } from './log.ts';
import type { Mail, ReadMail } from './mail.ts';
import type { AboutCustomer, NewNotification, NotificationType, Recipients } from './notification.ts';
import type { PersonalData } from './personal-data.ts';
import type { PushService } from './push.ts';
import type { TSchema } from './schema.ts';
import type { SystemServices } from './system-services.ts';

export interface Tenant {
  readonly id: string;
  readonly name: string;
  /** `platform_owner`, `reseller` or `merchant`. */
  readonly role: string;
  readonly ring: string;
  /** What it sends reaches nobody: mails, messages, webhooks and payments. */
  readonly isSandbox: boolean;
  readonly limits: TenantLimits;
}

/** What the operator allows a tenant by its plan; `null` is no limit. */
export interface TenantLimits {
  /** The name of the plan; `null` if the tenant has none. */
  readonly plan: string | null;
  /** Of all its users and API clients together. */
  readonly requests_per_minute: number | null;
  /** Of its files. */
  readonly storage_mb: number | null;
  /** Emails and text messages to customers. */
  readonly messages_per_day: number | null;
  /** Of one process to its database. */
  readonly connections: number | null;
}

/**
 * A cache per module and tenant. Entries may be lost at any time and must be JSON. Shared by all processes if Redis is
 * configured, else one for each process.
 */
export interface Cache {
  /** Returns the cached value, or computes it and caches it. */
  remember<Value>(key: string, seconds: number, compute: () => Promise<Value>): Promise<Value>;
  forget(key: string): Promise<void>;
}

type Operation<Name extends string> = Name extends `${infer Prefix}.${string}`
  ? Prefix extends keyof Operations
    ? Name extends keyof Operations[Prefix]
      ? Operations[Prefix][Name]
      : never
    : never
  : never;
type Input<Name extends string> = Operation<Name> extends { input: infer Sent } ? Sent : never;
type Output<Name extends string> = Operation<Name> extends { output: infer Returned } ? Returned : never;

/**
 * Calls operations of other modules that `api.consumes` in `module.json` declares, for the same tenant and user and in the
 * same transaction. Names are written as string literals: the loader refuses a module with a call that is not declared.
 */
export interface Bus {
  /** 404 if the tenant does not have the module. */
  call<const Name extends string>(name: Name, input: Input<Name>): Promise<Output<Name>>;
  /** `undefined` if the tenant does not have the module. */
  callIfInstalled<const Name extends string>(name: Name, input: Input<Name>): Promise<Output<Name> | undefined>;
  /** Whether the tenant has the module of the operation. */
  isInstalled(name: string): Promise<boolean>;
}

/** Emits an event that the module declares in `events`, in the current transaction or in a new one. */
export type Emit = <Name extends keyof Events>(name: Name, payload: Events[Name]) => Promise<void>;

/** Emits several events of one name, in order. */
export type EmitAll = <Name extends keyof Events>(name: Name, payloads: readonly Events[Name][]) => Promise<void>;

export interface AddJobOptions {
  /** Runs after this many seconds at the earliest. */
  readonly delaySeconds?: number;
}

export interface JobQueue {
  /** Adds a job for this tenant; inside a transaction, when it commits. */
  add<Name extends keyof Jobs>(name: Name, data: Jobs[Name], options?: AddJobOptions): Promise<void>;
}

/**
 * The context of one call, always the first argument. There is no ambient context: code reaches tenant, user and
 * database only through `ctx`.
 */
export interface Ctx {
  readonly requestId: string;
  readonly log: Log;
  /** Throws if the call is not bound to a tenant. */
  readonly tenant: Tenant;
  /** The address of the tenant, such as `https://acme.example.com`: its id is one of its domains and never changes. */
  readonly tenantUrl: string;
  /** The version of the API for requests that name none, and for webhooks. */
  readonly apiVersion: string;
  /** The signed-in user. Throws if there is none. */
  readonly user: User;
  /** The signed-in user's id; `undefined` for calls of the platform itself, such as jobs. */
  readonly userId: number | undefined;
  /** Where the request comes from; empty for jobs. */
  readonly client: Client;
  /** The tenant's database; inside `tx`, the transaction. Throws if the call is not bound to a tenant. */
  readonly db: Db;
  /** Whether the user holds the permission in this tenant. */
  can(permission: string): boolean;
  /**
   * Validates a value, such as a row of a file. Returns the errors with the messages of a request body, or `undefined`.
   * Fills in defaults and drops unknown fields.
   */
  check(schema: TSchema, value: unknown): FieldErrors | undefined;
  /** The tenant's settings, defaults filled in. */
  settings(): Promise<Settings>;
  /** Runs `work` with a context whose `db` is one transaction. */
  tx<Result>(work: (ctx: this) => Promise<Result>): Promise<Result>;
  readonly bus: Bus;
  /**
   * Calls another action of this module as a part of this call: with its permission, validation and rules. Its changes are in
   * the audit entry of this call.
   */
  perform(action: string, input: object): Promise<unknown>;
  /**
   * Calls an action of this module for each item, in the order of the items, with an audit entry for each. `all_or_nothing` throws
   * `http.bulk_failed` if an item fails.
   */
  performEach<Item>(
    items: readonly Item[],
    how: { readonly mode: BulkMode; plan(ctx: Ctx, item: Item): Promise<PlannedCall> },
  ): Promise<BulkResult[]>;
  /** The alias of the module that calls this operation; `undefined` for calls from outside. */
  readonly callingModule: string | undefined;
  /** The rows of all modules about a customer. */
  readonly personalData: PersonalData;
  readonly emit: Emit;
  readonly emitAll: EmitAll;
  /**
   * Sends an event to the sockets of this tenant that subscribe to the channel, such as `private-user.7`, in all processes.
   * `tenant_id` is added to the data. Inside `tx` it is sent after the commit. Delivered at most once: nothing is stored.
   */
  broadcast(channel: string, event: string, data: object): Promise<void>;
  /** With it a Pusher client connects. Public: it identifies the installation. */
  readonly realtimeKey: string;
  /** What a user may get of events now: the one who saved a rule, or nobody. Default: the caller. */
  audience(userId?: number | null): Promise<Audience>;
  /** The events that modules of this ring declare, by name. */
  readonly declaredEvents: Readonly<Record<string, DeclaredEvent>>;
  /** Adds changes to the audit entry of the call, without values of personal fields. */
  audit(changes: Changes): void;
  /** 412 if `If-Match` names another version of the record. */
  mustMatch(record: Versioned): void;
  readonly jobs: JobQueue;
  /**
   * Notifies members of the tenant over the channels that they prefer, in the current transaction or in a new one. Without a
   * tenant, the notification is only stored, in the central database.
   */
  notify(to: Recipients, notification: NewNotification & AboutCustomer): Promise<void>;
  /** The types of notifications that the tenant's modules declare, by name. */
  notificationTypes(): Promise<Readonly<Record<string, DeclaredNotificationType>>>;
  /** `undefined` if the operator has configured no push service. */
  readonly push: PushService | undefined;
  readonly cache: Cache;
  readonly secrets: ModuleSecrets;
  /** The client for requests to other servers. */
  readonly http: HttpClient;
  readonly options: ModuleOptions;
  readonly files: Files;
  /** Reads a mail in a process with limits on time and memory: its content is not to be trusted. */
  readMail(mail: Uint8Array | Readable): Promise<ReadMail>;
  now(): Date;
  /** A UUIDv7: ids sort by time. */
  newId(): string;
}

export interface DeclaredEvent {
  /** A sentence in the past tense: `An order was created`. */
  readonly summary: string;
  readonly payload: TSchema;
  /** The permission that everybody who gets the event needs. */
  readonly needs?: string | undefined;
  /** The fields that need `customers.view_sensitive`, by dotted path; those of a list's items have the path of the list. */
  readonly sensitiveFields: ReadonlySet<string>;
  /** The payload as the caller may see it. Default: as it was emitted. */
  mask?(ctx: Ctx, payload: unknown): unknown;
}

/** A user who gets events over a rule, a webhook or a subscription. */
export interface Audience {
  readonly isMember: boolean;
  can(permission: string): boolean;
  /** The events that the user may get, by name. */
  readonly events: Readonly<Record<string, DeclaredEvent>>;
}

export interface DeclaredNotificationType extends NotificationType {
  /** The alias of the module. */
  readonly module: string;
}

/**
 * Encrypts and signs texts of a module. A sealed text can be opened only by the same module, for the same tenant and field.
 * Declare columns with such texts as `sealed` in `module.json`; in the data of a job, the field is the name of the property.
 */
export interface ModuleSecrets {
  seal(field: string, text: string): string;
  open(field: string, sealed: string): string;
  /** HMACs of the text, one for each key of the installation, the one in use first: compare with all of them. */
  sign(field: string, text: string): readonly Uint8Array[];
}

/** A record that has an `ETag`. */
export interface Versioned {
  readonly updated_at: string;
}

/** The context of a system module. */
export interface SystemCtx extends Ctx {
  /** The central database. */
  readonly central: Db;
  /** This context in a transaction of the central database: `central` is the transaction, and operations take part in it. */
  withCentral(db: Db): SystemCtx;
  /** Runs `work` in a transaction of the central database, to which the changes of `files` belong. */
  centralTx<Result>(work: (db: Db, files: Files) => Promise<Result>): Promise<Result>;
  readonly system: SystemServices;
  /** The session of the user's token. Throws if there is none. */
  readonly session: Session;
  /**
   * Queues a mail, in the tenant's transaction when it commits. A mail with the `id` of one that was queued within the last
   * day is not queued again.
   */
  queueMail(mail: Mail, options?: { readonly id?: string }): Promise<void>;
  /** `undefined` if the call is not bound to a tenant. */
  readonly tenantId: string | undefined;
  /** The user's membership of the tenant, if any. */
  readonly membership: Membership | undefined;
  /** Runs `work` in another tenant, on behalf of the platform. That tenant's audit log records it as `action`. */
  inTenant<Result>(tenantId: string, action: string, work: (ctx: SystemCtx) => Promise<Result>): Promise<Result>;
}
