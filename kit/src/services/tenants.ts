import type { Db } from '../database.ts';
import type { FieldError } from '../errors.ts';

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
