import type { Jobs, Settings } from './catalogue.ts';
import type { Db } from './database.ts';
import type { FieldError } from './errors.ts';
import type { GraphqlEngine } from './graphql-engine.ts';
import type { HttpClient } from './http-client.ts';
import type { Client } from './identity.ts';
import type { Log } from './log.ts';
import type { Mails } from './mail.ts';
import type { RequestContext } from './request-context.ts';
import type { SettingDefinition } from './settings.ts';

/** Encryption and signatures with keys derived from the key of the installation, one for each `purpose`. */
export interface Secrets {
  /** Encrypts. `open` needs the same `context`, such as the tenant and the field. */
  seal(purpose: string, text: string, context?: string): string;
  /** Decrypts. Throws if the text was not sealed for this purpose and context. */
  open(purpose: string, sealed: string, context?: string): string;
  /** A signature that fits a URL. */
  sign(purpose: string, text: string): string;
  isSignature(purpose: string, text: string, signature: string): boolean;
}

export interface SignalListener {
  onNotify(payload: string): void;
  /** `false`: notifications may be missed from now on. `true`: connected again; earlier ones may have been missed. */
  onConnectionChange(isConnected: boolean): void;
}

/** PostgreSQL's NOTIFY on the central database, for caches that other processes invalidate. */
export interface SignalSource {
  listen(channel: string, listener: SignalListener): Promise<void>;
}

/** A permission that a module declares in its `module.json`. */
export interface DeclaredPermission {
  readonly name: string;
  /** The allowed operation: `Export customers`. */
  readonly description: string;
  /** Allows damage that cannot be undone, or access to private data. */
  readonly isSensitive: boolean;
  /** The system roles that the module grants it to. */
  readonly roles: readonly string[];
}

export interface NewTenant {
  /** Becomes the id and an alias. Absent: the random domain is the id as well. */
  readonly id?: string;
  readonly name: string;
  readonly role?: 'platform_owner' | 'reseller' | 'merchant';
  readonly aliases?: readonly string[];
}

export interface Tenants {
  /** Why a new tenant cannot have the id: not a label, reserved or taken. */
  idProblem(id: string): Promise<FieldError | undefined>;
  /** The active tenant with this id or domain. Throws 404 if there is none. */
  find(label: string): Promise<{ id: string; name: string }>;
  /** Creates a tenant with its domains and its database. `inTransaction` runs in the transaction that activates it. */
  create(tenant: NewTenant, inTransaction?: (db: Db) => Promise<void>): Promise<{ id: string; name: string }>;
  /** Completes a tenant whose creation was interrupted. The caller must hold a lock against concurrent attempts. */
  finish(id: string, inTransaction?: (db: Db) => Promise<void>): Promise<void>;
  /** The creation of a tenant in steps, by a module that records its progress. Each step can be repeated. */
  readonly steps: TenantSteps;
}

export interface TenantSteps {
  /** An id that no tenant has. */
  newId(): Promise<string>;
  /** Stores the tenant, which is not available yet. `module` is the module that finishes it. */
  reserve(tenant: { id: string; name: string; role: 'reseller' | 'merchant' }, module: string): Promise<void>;
  createDatabase(id: string): Promise<void>;
  /** Returns whether the tenant has the domain now; `false` if it is taken, reserved or not a label. */
  addDomain(id: string, domain: string, kind: 'random' | 'alias'): Promise<boolean>;
  /** Makes the tenant available, with its modules. */
  activate(id: string): Promise<void>;
  /** Removes a tenant that was never available, with its database. */
  discard(id: string): Promise<void>;
}

/** A module of this ring, and its state in a tenant. */
export interface TenantModule {
  readonly alias: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Every tenant has it. */
  readonly isSystem: boolean;
  readonly isEnabled: boolean;
  /** Whether the tenant has or had it. */
  readonly isInstalled: boolean;
  /** The modules that it cannot work without. */
  readonly requires: readonly string[];
  /** The numbers and names of what the tenant does not have without the module. */
  readonly actions: number;
  readonly listeners: number;
  readonly permissions: readonly string[];
  readonly settings: readonly string[];
}

/** The modules of tenants. */
export interface ModulesService {
  list(tenantId: string): Promise<TenantModule[]>;
  /** Whether all migrations of this ring are applied to the tenant's database. */
  isMigrated(tenantId: string): Promise<boolean>;
  /** The data of a disabled module stays. Applies to the next request in every process. */
  set(tenantId: string, alias: string, status: 'enabled' | 'disabled'): Promise<void>;
}

export interface RingAssignment {
  readonly tenantId: string;
  /** The name of the ring. */
  readonly ring: string;
  readonly operator: string;
  readonly reason?: string | undefined;
  readonly force?: boolean | undefined;
}

/** The rings of the platform. */
export interface RingsService {
  /** The version of each module in the lock file of a ring, by alias; `undefined` if this process cannot read the file. */
  versions(ring: {
    readonly name: string;
    readonly manifest_path: string;
  }): Promise<Readonly<Record<string, string>> | undefined>;
  /** Assigns a tenant to a ring, from its next request on, and records it. Returns the reason why it refuses, if it does. */
  assign(assignment: RingAssignment): Promise<string | undefined>;
}

/** The settings of tenants. `can` checks the permission of settings that have one. */
export interface SettingsService {
  get(tenantId: string): Promise<Settings>;
  /** The settings that the caller may see, with defaults filled in. */
  visible(tenantId: string, can: (permission: string) => boolean): Promise<Readonly<Record<string, unknown>>>;
  /** The declarations of the settings that the caller may see. */
  describe(can: (permission: string) => boolean): readonly SettingDefinition[];
  /** Changes all of the settings or, if one of them is invalid, none. `null` restores the default. */
  change(
    tenantId: string,
    changes: Readonly<Record<string, unknown>>,
    can: (permission: string) => boolean,
  ): Promise<void>;
}

export interface TenantDomain {
  readonly domain: string;
  readonly kind: 'random' | 'alias';
  readonly created_at: string;
}

/** The domains of tenants: labels below the base domain, in lower case. */
export interface DomainsService {
  /** Why the domain is not available to any tenant: not a label, or reserved. */
  labelProblem(domain: string): Promise<string | undefined>;
  list(tenantId: string): Promise<TenantDomain[]>;
  /** Adds an alias. Throws 422 when the label is invalid, reserved or taken. */
  add(tenantId: string, domain: string): Promise<TenantDomain>;
  /** Removes an alias. Throws 404 when there is none, 409 when the domain cannot be removed. */
  remove(tenantId: string, domain: string): Promise<void>;
}

export interface Limits {
  /** Whether the key has at least one call left in this minute; counts nothing. */
  has(key: string, perMinute: number): boolean;
  /** Counts one call. Throws 429 if none is left. */
  take(key: string, perMinute: number): void;
}

/** A cache shared by all tenants. Entries may be lost or slightly stale. */
export interface SystemCache {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown, seconds: number): Promise<void>;
  delete(key: string): Promise<void>;
}

/** An action that the caller may call. */
export interface CallableAction {
  readonly name: string;
  readonly summary: string;
  readonly description: string | undefined;
  /** The method of its REST route, such as `POST`. */
  readonly method: string;
  readonly isReadOnly: boolean;
  /** JSON Schema without references. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>> | undefined;
}

/** The REST endpoints that take and return JSON, for gateways that offer them over another protocol. Throws failures only. */
export interface ActionGateway {
  /** The actions that the caller may call in its tenant. */
  list(ctx: RequestContext): Promise<readonly CallableAction[]>;
  /**
   * Calls one of them with the same checks and audit entries as REST, and returns the JSON text of the same response.
   * Unknown fields are refused. Throws 404 if there is no action of this name.
   */
  call(ctx: RequestContext, name: string, input: unknown): Promise<string>;
}

/** Configuration that system modules read. */
export interface SystemOptions {
  readonly installToken: string | undefined;
  /** Other machines may reach the server. */
  readonly isExposed: boolean;
  readonly signup: boolean;
  readonly graphqlIntrospection: boolean;
  readonly graphqlPlayground: boolean;
  readonly signedLinksOnly: boolean;
  readonly loginFailuresPerMinute: number;
  readonly resendsPerMinute: number;
  readonly applicationsPerMinute: number;
  readonly bcryptCost: number;
  /** Where releases of the command-line client come from, for tenants without a channel of their own. */
  readonly releases: {
    readonly adapter: 'gitlab' | 'static';
    readonly gitlabProject: string | undefined;
    readonly gitlabApiUrl: string;
    readonly gitlabToken: string | undefined;
    readonly manifestUrl: string | undefined;
  };
}

/** Services of the kernel for system modules. */
export interface SystemServices {
  readonly version: string;
  readonly environment: 'local' | 'testing' | 'production';
  /** The URL of the platform, without a slash at the end. */
  readonly url: string;
  /** Tenants are subdomains of it: `acme.<base domain>`. */
  readonly baseDomain: string;
  readonly storagePath: string;
  readonly options: SystemOptions;
  /** The central database, for state that outlives a call. Actions use `ctx.central`. */
  readonly central: Db;
  readonly log: Log;
  readonly signals: SignalSource;
  readonly secrets: Secrets;
  readonly tenants: Tenants;
  readonly settings: SettingsService;
  readonly modules: ModulesService;
  readonly rings: RingsService;
  readonly domains: DomainsService;
  readonly limits: Limits;
  readonly mail: Mails;
  readonly cache: SystemCache;
  readonly http: HttpClient;
  /** Deletes all files of a tenant that is being deleted. */
  readonly files: { removeTenant(tenantId: string): Promise<void> };
  readonly eventLog: {
    /** Numbers the committed events of a tenant. */
    number(db: Db): Promise<void>;
    /** Resolves when this process commits an event of the tenant, and after the time at the latest. */
    next(tenantId: string, maxMs: number): Promise<void>;
    /** Whether the process stops, so that no request may wait any longer. */
    isStopping(): boolean;
  };
  readonly actions: ActionGateway;
  readonly graphql: GraphqlEngine;
  /** The permissions of all modules of this ring. */
  readonly permissions: readonly DeclaredPermission[];
  now(): Date;
  /** A UUIDv7. */
  newId(): string;
  /** Migrates the central database. */
  migrate(): Promise<{ applied: number; skipped: number }>;
  /** Inserts the configurations of the modules and the default settings of the platform that are missing. */
  seed(db: Db): Promise<{ modules: number; settings: number }>;
  /**
   * Fills a tenant with demo data for this number of customers. Returns the number of rows by table; `undefined` if the tenant
   * already has records.
   */
  fillWithDemoData(tenantId: string, customers: number): Promise<ReadonlyMap<string, number> | undefined>;
  /** Whether the cache is reachable, and its kind. */
  pingCache(): Promise<{ up: boolean; name: string }>;
  /**
   * Whether a request was sent to a name of this platform or to an IP address. Any other name may be that of a web page whose
   * author makes it resolve to this machine, to read from its visitors' network (DNS rebinding).
   */
  isOwnHost(client: Pick<Client, 'host'>): boolean;
  /** Whether a request was sent by a page of this platform, or by no web page. */
  isOwnOrigin(client: Pick<Client, 'host' | 'header'>): boolean;
  /** Runs `work` under a lock that all processes of the installation share. */
  runExclusively<Result>(lock: string, work: () => Promise<Result>): Promise<Result>;
  /** Runs `work` unless another process, or this one, does it under the same lock. Returns whether it ran. */
  runIfUnlocked(lock: string, work: () => Promise<void>): Promise<boolean>;
  /** Adds a job of a system module when the transaction `tx` on the central database commits. */
  addJob<Name extends keyof Jobs & string>(
    name: Name,
    data: Jobs[Name],
    options: { readonly tx: Db; readonly delaySeconds?: number | undefined },
  ): Promise<void>;
  /** Runs `work` when the platform stops, while databases can still be used. */
  onClose(work: () => Promise<void>): void;
  /** Drops every database of the installation and creates the central one again. Destroys all data. */
  reset(): Promise<void>;
}
