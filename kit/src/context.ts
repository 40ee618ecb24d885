import type { Db } from './database.ts';
import type { Settings } from './settings.ts';

export interface Tenant {
  readonly id: string;
  readonly name: string;
  /** What the tenant is on the platform: `platform_owner`, `reseller`, `merchant`. */
  readonly role: string;
  readonly ring: string;
}

export interface User {
  readonly id: number;
  readonly name: string;
  readonly email: string;
}

export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
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
  /** The tenant's own database; inside `tx`, the transaction. Throws when the call is bound to no tenant. */
  readonly db: Db;
  /** Whether the user holds the permission in this tenant. */
  can(permission: string): boolean;
  /** The tenant's settings, defaults filled in. */
  settings(): Promise<Settings>;
  /** Runs `work` with a context whose `db` is one transaction. */
  tx<Result>(work: (ctx: this) => Promise<Result>): Promise<Result>;
  now(): Date;
  /** A UUIDv7: unique, and sortable by the time it was made. */
  newId(): string;
}

/** What a system module has besides: the central database and the tenant directory. */
export interface SystemCtx extends Ctx {
  readonly central: Db;
}
