import {
  type ActionGateway,
  type Db,
  type DomainsService,
  type GraphqlEngine,
  type HttpClient,
  type Limits,
  type Log,
  type SystemServices,
  sql,
  type TenantSteps,
} from '@chowk/kit/kernel';
import { gte } from 'semver';
import type { Config } from './config/config.ts';
import { type MigrationSource, migrate } from './db/migrations.ts';
import type { Signals } from './db/signals.ts';
import { fail } from './errors.ts';
import { type EventLogSignal, numberEvents } from './events/event-log.ts';
import type { FileStore } from './files/file-store.ts';
import { newId } from './ids.ts';
import type { JobQueues } from './jobs/job-queues.ts';
import type { Installations } from './loader/installations.ts';
import type { LoadedModule } from './loader/load-modules.ts';
import { collectPermissions } from './loader/permissions.ts';
import { ringsService } from './loader/rings-service.ts';
import { modulesService } from './loader/tenant-modules.ts';
import type { Mailer } from './mail/mailer.ts';
import { isLoopback } from './network.ts';
import { isOwnHost, isOwnOrigin } from './own-host.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { Redis } from './redis/redis.ts';
import type { SecretBox } from './secrets.ts';
import type { SharedCache } from './shared-cache.ts';
import { type Central, runExclusively } from './tenancy/central-database.ts';
import type { Directory } from './tenancy/directory.ts';
import { addAlias, findOwnLabels, listDomains, recordOwnLabels, removeAlias } from './tenancy/domains.ts';
import { labelProblem } from './tenancy/labels.ts';
import { resetDatabases } from './tenancy/reset-databases.ts';
import { requireTenant } from './tenancy/resolve-tenant.ts';
import type { SettingsStore } from './tenancy/settings.ts';
import type { TenantDatabases } from './tenancy/tenant-databases.ts';
import {
  activateTenant,
  createTenant,
  discardTenant,
  ensureDatabase,
  ensureDomain,
  finishTenant,
  idProblem,
  newTenantId,
  reserveTenant,
} from './tenancy/tenants.ts';
import { version } from './version.ts';

interface Dependencies {
  readonly config: Config;
  readonly log: Log;
  readonly central: Central;
  readonly centralMigrations: readonly MigrationSource[];
  readonly databases: TenantDatabases;
  readonly directory: Directory;
  readonly modules: readonly LoadedModule[];
  readonly installations: Installations;
  readonly settings: SettingsStore;
  readonly secrets: SecretBox;
  readonly signals: Signals;
  readonly mailer: Mailer;
  readonly limiter: RateLimiter;
  readonly jobs: JobQueues;
  readonly redis: Redis | undefined;
  readonly cache: SharedCache;
  readonly http: HttpClient;
  readonly files: FileStore;
  readonly eventLog: EventLogSignal;
  readonly actions: ActionGateway;
  readonly graphql: GraphqlEngine;
  readonly fillWithDemoData: SystemServices['fillWithDemoData'];
  readonly assignTenant: SystemServices['rings']['assign'];
  readonly platform: SystemServices['platform'];
  /** Emits the event `tenant.database_migrated` of a new tenant. */
  readonly announceMigration: (tenantId: string) => void;
  readonly now: () => Date;
  readonly onClose: SystemServices['onClose'];
}

export function makeSystemServices(dependencies: Dependencies): SystemServices {
  const { config, central, databases, redis } = dependencies;
  return {
    version,
    environment: config.appEnv,
    url: config.appUrl,
    baseDomain: config.baseDomain,
    storagePath: config.storagePath,
    options: {
      installToken: config.installToken,
      isExposed: config.appEnv === 'production' || !isLoopback(config.host) || config.trustedProxies.length > 0,
      signup: config.platformSignup,
      graphqlIntrospection: config.graphqlIntrospection,
      graphqlPlayground: config.graphqlPlayground,
      signedLinksOnly: config.emailVerificationSignedOnly,
      loginFailuresPerMinute: config.loginFailuresPerMinute,
      resendsPerMinute: config.resendsPerMinute,
      applicationsPerMinute: config.applicationsPerMinute,
      bcryptCost: config.bcryptCost,
      releases: {
        adapter: config.cliReleasesDefaultAdapter,
        gitlabProject: config.cliReleasesGitlabProject,
        gitlabApiUrl: config.cliReleasesGitlabApiUrl,
        gitlabToken: config.cliReleasesGitlabToken,
        manifestUrl: config.cliReleasesStaticManifestUrl,
      },
    },
    central: central.db,
    log: dependencies.log,
    signals: dependencies.signals,
    secrets: dependencies.secrets,
    mail: dependencies.mailer,
    limits: limitsService(dependencies),
    cache: dependencies.cache,
    http: dependencies.http,
    files: dependencies.files,
    eventLog: {
      number: numberEvents,
      next: (tenantId, maxMs) => dependencies.eventLog.next(tenantId, maxMs),
      enter: (tenantId, user) => dependencies.eventLog.enter(tenantId, user),
      isStopping: () => dependencies.eventLog.isStopping,
    },
    actions: dependencies.actions,
    graphql: dependencies.graphql,
    permissions: collectPermissions(dependencies.modules),
    now: dependencies.now,
    newId,
    tenants: {
      idProblem: (id) => idProblem(central.db, databases, id),
      async find(label) {
        const { id, name } = await requireTenant(dependencies.directory, label);
        return { id, name };
      },
      async create(tenant, inTransaction) {
        const created = await createTenant(central.db, databases, tenant, inTransaction);
        dependencies.announceMigration(created.id);
        return created;
      },
      async finish(id, inTransaction) {
        await finishTenant(central.db, databases, id, inTransaction);
        dependencies.announceMigration(id);
      },
      steps: tenantSteps(dependencies),
    },
    settings: dependencies.settings,
    modules: modulesService({
      central: central.db,
      modules: dependencies.modules,
      installations: dependencies.installations,
      migrationIds: databases.migrationIds,
    }),
    rings: ringsService(config, dependencies.assignTenant),
    platform: dependencies.platform,
    domains: domainsService(dependencies),
    isOwnHost: (client) => isOwnHost(config, client),
    isOwnOrigin: (client) => isOwnOrigin(config, client),
    async migrate() {
      const { applied, skipped } = await migrate(central.address, central.database, dependencies.centralMigrations);
      return { applied: applied.length, skipped };
    },
    seed: (db) => seed(db, dependencies),
    fillWithDemoData: dependencies.fillWithDemoData,
    async pingCache() {
      if (!redis) return { up: true, name: 'in process' };
      return redis.client.ping().then(
        () => ({ up: true, name: 'Redis' }),
        () => ({ up: false, name: 'Redis' }),
      );
    },
    runExclusively: runExclusivelyInTurn(central),
    runIfUnlocked: runIfUnlocked(dependencies.signals),
    addJob: (job, data, { tx, delaySeconds = 0 }) =>
      dependencies.jobs.addAll(
        [
          {
            task: { job, tenant: '', data, requestId: job },
            options: delaySeconds > 0 ? { startAt: new Date(Date.now() + delaySeconds * 1_000) } : {},
          },
        ],
        tx,
      ),
    onClose: dependencies.onClose,
    async reset() {
      await resetDatabases(central, databases, dependencies.centralMigrations);
      // The job queues were dropped as well, and running workers do not create them.
      await dependencies.jobs.start();
    },
  };
}

/** Calls of this process wait in memory, so that only the first one uses a connection while it waits for the lock. */
function runExclusivelyInTurn(central: Central): SystemServices['runExclusively'] {
  const last = new Map<string, Promise<unknown>>();
  return (lock, work) => {
    const turn = (last.get(lock) ?? Promise.resolve()).catch(() => {}).then(() => runExclusively(central, lock, work));
    last.set(lock, turn);
    return turn;
  };
}

/** PostgreSQL grants a session the same lock twice, so this process remembers those that it holds. */
function runIfUnlocked(signals: Signals): SystemServices['runIfUnlocked'] {
  const held = new Set<string>();
  return async (lock, work) => {
    if (held.has(lock)) return false;
    held.add(lock);
    try {
      if (!(await signals.tryLock(lock))) return false;
      await work().finally(() => signals.unlock(lock));
      return true;
    } finally {
      held.delete(lock);
    }
  };
}

function domainsService({ central, directory }: Dependencies): DomainsService {
  return {
    labelProblem: async (domain) => labelProblem(domain.toLowerCase(), await findOwnLabels(central.db)),
    list: (tenantId) => listDomains(central.db, tenantId),
    async add(tenantId, domain) {
      const alias = await addAlias(central.db, tenantId, domain);
      directory.domainChanged(domain);
      return alias;
    },
    async remove(tenantId, domain) {
      await removeAlias(central.db, tenantId, domain);
      directory.domainChanged(domain);
    },
  };
}

function limitsService({ limiter, now }: Dependencies): Limits {
  return {
    has: (key, perMinute) => limiter.peek(key, perMinute, now().getTime()).allowed,
    take(key, perMinute) {
      const { allowed, seconds } = limiter.take(key, perMinute, now().getTime());
      if (!allowed) throw fail('http.too_many_requests', { seconds }, { headers: { 'Retry-After': String(seconds) } });
    },
  };
}

async function seed(db: Db, { modules, config }: Dependencies): Promise<{ modules: number; settings: number }> {
  const configurations = await newConfigurations(db, modules);
  const settings = {
    'platform.name': 'Chowk',
    'platform.url': config.appUrl,
    'platform.base_domain': config.baseDomain,
    'platform.default_ring': 'stable',
  };
  await db.run(sql`
    INSERT INTO module_configurations (alias, configuration)
    SELECT alias, configuration FROM jsonb_to_recordset(${JSON.stringify(configurations)}::jsonb)
      AS loaded(alias text, configuration jsonb)
    ON CONFLICT (alias) DO UPDATE SET configuration = excluded.configuration, updated_at = now()
    WHERE module_configurations.configuration <> excluded.configuration`);
  await db.run(sql`
    INSERT INTO platform_settings (key, value) SELECT key, value FROM jsonb_each(${JSON.stringify(settings)}::jsonb)
    ON CONFLICT (key) DO NOTHING`);
  await recordOwnLabels(db, config);
  return { modules: modules.length, settings: Object.keys(settings).length };
}

/** Those that are not stored, or not of a newer version, which another ring has. */
async function newConfigurations(db: Db, modules: readonly LoadedModule[]) {
  const rows = await db.rows<{ alias: string; version: string }>(sql`
    SELECT alias, configuration->>'version' AS version FROM module_configurations ORDER BY alias FOR UPDATE`);
  const stored = new Map(rows.map(({ alias, version: newest }) => [alias, newest]));
  return modules
    .map(({ alias, manifest }) => ({ alias, configuration: manifest }))
    .filter(({ alias, configuration }) => gte(configuration.version, stored.get(alias) ?? '0.0.0-0'))
    .sort((one, other) => one.alias.localeCompare(other.alias));
}

function tenantSteps({ central: { db }, databases, announceMigration }: Dependencies): TenantSteps {
  return {
    newId: () => newTenantId(db, databases),
    reserve: (tenant, module) => reserveTenant(db, databases, tenant, module),
    createDatabase: (id) => ensureDatabase(databases, id),
    addDomain: (id, domain, kind) => ensureDomain(db, id, domain, kind),
    async activate(id) {
      await activateTenant(db, databases, id);
      announceMigration(id);
    },
    discard: (id) => discardTenant(db, databases, id),
  };
}
