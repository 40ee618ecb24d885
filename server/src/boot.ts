import { join, resolve } from 'node:path';
import type { Log, Route, SettingDefinition } from '@chowk/kit';
import { type Identity, nobody } from './auth/identity.ts';
import type { Config } from './config.ts';
import { ConnectionBudget } from './db/budget.ts';
import { openDatabase } from './db/database.ts';
import { migrate, readMigrations } from './db/migrations.ts';
import { type DatabaseServer, limitsOf } from './db/server.ts';
import { Signals } from './db/signals.ts';
import { domainRoutes } from './http/domain-routes.ts';
import { healthRoute } from './http/health.ts';
import { settingsRoutes } from './http/settings-routes.ts';
import type { Kernel } from './kernel.ts';
import { RateLimiter } from './rate-limiter.ts';
import type { Central } from './tenancy/central.ts';
import { TenantDatabases } from './tenancy/databases.ts';
import { Directory } from './tenancy/directory.ts';
import { kernelSettings, SettingsStore } from './tenancy/settings.ts';

const migrationsFolder = resolve(import.meta.dirname, '../migrations');

/** What is given from outside: all that a test replaces and production never does. */
export interface Parts {
  readonly identity?: Identity;
  readonly routes?: readonly Route[];
  readonly settings?: readonly SettingDefinition[];
  readonly now?: () => Date;
}

/** Puts the platform together, from the database upward. */
export async function boot(config: Config, log: Log, server: DatabaseServer, parts: Parts = {}): Promise<Kernel> {
  const { address, centralDatabase } = server;
  const limits = limitsOf(config);
  await migrate(address, centralDatabase, [await readMigrations('kernel', join(migrationsFolder, 'central'))]);

  const budget = new ConnectionBudget({
    ...limits,
    connections: config.databaseConnections,
    perDatabase: config.databaseConnectionsPerTenant,
    waitTimeoutMs: config.databaseWaitTimeoutMs,
  });
  const db = openDatabase(budget, { address, database: centralDatabase, central: true });
  const central: Central = {
    db,
    address,
    database: centralDatabase,
    copyStrategy: config.databaseCopyStrategy,
  };
  const signals = new Signals(address, centralDatabase, limits, log);

  const tenantMigrations = [await readMigrations('kernel', join(migrationsFolder, 'tenant'))];
  const databases = new TenantDatabases(central, tenantMigrations, config.spareDatabases, log);
  const directory = new Directory(db, budget, () => address, signals);
  const settings = new SettingsStore(db, [...kernelSettings, ...(parts.settings ?? [])], signals);
  await signals.start();

  const routes = [
    healthRoute(config, db),
    ...settingsRoutes(settings),
    ...domainRoutes(db, directory),
    ...(parts.routes ?? []),
  ];

  return {
    config,
    log,
    central,
    budget,
    databases,
    directory,
    settings,
    identity: parts.identity ?? nobody,
    limiter: new RateLimiter(),
    routes,
    now: parts.now ?? (() => new Date()),
    async close() {
      await databases.settled();
      await signals.close();
      await budget.close();
    },
  };
}
