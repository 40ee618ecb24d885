import type { Bus, Emit, Helpers, JobQueue, Settings } from './catalogue.ts';
import type { Changes } from './changes.ts';
import type { Db } from './database.ts';
import type { FieldErrors } from './errors.ts';
import type { Client, Membership, Session, User } from './identity.ts';
import type { Log } from './log.ts';
import type { PersonalData } from './personal-data.ts';
import type { TSchema } from './schema.ts';
import type { SystemServices } from './system-services.ts';

export interface Tenant {
  readonly id: string;
  readonly name: string;
  /** What the tenant is on the platform: `platform_owner`, `reseller`, `merchant`. */
  readonly role: string;
  readonly ring: string;
}

/**
 * Keeps what is dear to make and may be a little old or lost at any time; each module of each tenant has its own. Values
 * travel as JSON. One for all processes where Redis is configured, else one for each.
 */
export interface Cache {
  /** What is kept under the key, or what `make` gives, kept for so many seconds. */
  remember<Value>(key: string, seconds: number, make: () => Promise<Value>): Promise<Value>;
  forget(key: string): Promise<void>;
}

/**
 * Everything a function needs to know about the call it serves; always its first argument. There is no ambient
 * context: what is not in `ctx` cannot be reached.
 */
export interface Ctx {
  readonly requestId: string;
  readonly log: Log;
  /** The tenant the call is bound to. Throws when it is bound to none. */
  readonly tenant: Tenant;
  /** The signed-in user. Throws when nobody is signed in. */
  readonly user: User;
  /** The signed-in user's id; `undefined` where the platform acts by itself, as in a job. */
  readonly userId: number | undefined;
  /** The tenant's own database; inside `tx`, the transaction. Throws when the call is bound to no tenant. */
  readonly db: Db;
  /** Whether the user holds the permission in this tenant. */
  can(permission: string): boolean;
  /**
   * What is wrong with a value that no route has checked, as a row of a file: the same messages as for a body, or
   * `undefined`. Defaults are filled in and unknown fields are dropped.
   */
  check(schema: TSchema, value: unknown): FieldErrors | undefined;
  /** The tenant's settings, defaults filled in. */
  settings(): Promise<Settings>;
  /** Runs `work` with a context whose `db` is one transaction. */
  tx<Result>(work: (ctx: this) => Promise<Result>): Promise<Result>;
  /** Calls operations of other modules that this one has declared in `api.consumes`. */
  readonly bus: Bus;
  /** What another module does for the code of others; `undefined` where the tenant does not have the module. */
  helpers<Alias extends keyof Helpers & string>(alias: Alias): Promise<Helpers[Alias] | undefined>;
  /** What all modules hold on a customer. */
  readonly personalData: PersonalData;
  /** Tells an event that this module has declared in `events.emits`, in the transaction there is or in one of its own. */
  readonly emit: Emit;
  /** Adds what was changed to the audit line of the call. Values of personal fields are left out of it. */
  audit(changes: Changes): void;
  /** 412 if the caller's `If-Match` names another version than this record's. */
  mustMatch(record: Versioned): void;
  /** Work for later. */
  readonly jobs: JobQueue;
  /** What may be a little old. */
  readonly cache: Cache;
  now(): Date;
  /** A UUIDv7: unique, and sortable by the time it was made. */
  newId(): string;
}

/** A record that has an `ETag`. */
export interface Versioned {
  readonly updated_at: string;
}

/** What a system module has besides. */
export interface SystemCtx extends Ctx {
  /** The central database. */
  readonly central: Db;
  readonly system: SystemServices;
  /** What the caller's token belongs to. Throws when nobody is signed in. */
  readonly session: Session;
  readonly client: Client;
  /** The tenant's id, if the call is bound to one. */
  readonly tenantId: string | undefined;
  /** What the user is in the tenant, if it is a member. */
  readonly membership: Membership | undefined;
}
