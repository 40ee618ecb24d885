import type { DescribedEntry } from '../console.ts';

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
  /** What the enabled modules show in the console to a caller with these permissions. */
  consoleEntries(tenantId: string, can: (permission: string) => boolean): Promise<DescribedEntry[]>;
}
