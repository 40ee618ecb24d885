import type { Jobs } from './catalogue.ts';
import type { Db } from './database.ts';
import type { GraphqlEngine } from './graphql-engine.ts';
import type { HttpClient } from './http-client.ts';
import type { Client } from './identity.ts';
import type { Log } from './log.ts';
import type { Mails } from './mail.ts';
import type { ActionGateway } from './services/actions.ts';
import type { SystemCache } from './services/cache.ts';
import type { DomainsService } from './services/domains.ts';
import type { Limits } from './services/limits.ts';
import type { ModulesService } from './services/modules.ts';
import type { SystemOptions } from './services/options.ts';
import type { DeclaredPermission } from './services/permissions.ts';
import type { PlatformService } from './services/platform.ts';
import type { RingsService } from './services/rings.ts';
import type { Secrets } from './services/secrets.ts';
import type { SettingsService } from './services/settings.ts';
import type { SignalSource } from './services/signals.ts';
import type { Tenants } from './services/tenants.ts';

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
  readonly platform: PlatformService;
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
    /** Counts a request that waits until the returned function is called; `undefined` if too many of the user or the tenant wait. */
    enter(tenantId: string, user: string): (() => void) | undefined;
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
