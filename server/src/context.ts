import type { Db, Log, Settings, SystemCtx, Tenant, User } from '@chowk/kit';
import { v7 as uuidv7 } from 'uuid';
import type { Membership } from './auth/identity.ts';
import type { Kernel } from './kernel.ts';
import type { TenantEntry } from './tenancy/directory.ts';

export interface ContextParts {
  readonly requestId: string;
  readonly tenant?: TenantEntry | undefined;
  readonly user?: User | undefined;
  readonly membership?: Membership | undefined;
  /** Inside a transaction: the transaction, in place of the tenant's database. */
  readonly db?: Db;
}

/** The context of one call: a request, a job or an operator's command. */
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
    const { user } = this.#parts;
    if (!user) throw new Error('nobody is signed in here; the route must say needs');
    return user;
  }

  get db(): Db {
    return this.#parts.db ?? this.#tenant.db;
  }

  get central(): Db {
    return this.#kernel.central.db;
  }

  can(permission: string): boolean {
    return this.#parts.membership?.permissions.has(permission) ?? false;
  }

  settings(): Promise<Settings> {
    return this.#kernel.settings.of(this.#tenant.id);
  }

  tx<Result>(work: (ctx: this) => Promise<Result>): Promise<Result> {
    return this.db.tx((db) => work(new Context(this.#kernel, { ...this.#parts, db }) as this));
  }

  now(): Date {
    return this.#kernel.now();
  }

  newId(): string {
    return uuidv7();
  }

  get #tenant(): TenantEntry {
    const { tenant } = this.#parts;
    if (!tenant) throw new Error('this call is bound to no tenant; the route must say tenant: required');
    return tenant;
  }
}
