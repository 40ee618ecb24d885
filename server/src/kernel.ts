import type { Log, Route } from '@chowk/kit';
import type { Identity } from './auth/identity.ts';
import type { Config } from './config.ts';
import type { ConnectionBudget } from './db/budget.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { Central } from './tenancy/central.ts';
import type { TenantDatabases } from './tenancy/databases.ts';
import type { Directory } from './tenancy/directory.ts';
import type { SettingsStore } from './tenancy/settings.ts';

/** The parts that `boot` has put together, for those who stand above them. */
export interface Kernel {
  readonly config: Config;
  readonly log: Log;
  readonly central: Central;
  readonly budget: ConnectionBudget;
  readonly databases: TenantDatabases;
  readonly directory: Directory;
  readonly settings: SettingsStore;
  readonly identity: Identity;
  readonly limiter: RateLimiter;
  readonly routes: readonly Route[];
  readonly now: () => Date;
  /** Lets go of every connection. */
  close(): Promise<void>;
}
