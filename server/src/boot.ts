import type { Actions, Db, Identity, Log, SettingDefinition, TSchema } from '@chowk/kit/kernel';
import { AuditLog } from './actions/audit-log.ts';
import { CallCounts } from './actions/call-counts.ts';
import { assertUniqueActions, isOperation, type RegisteredAction, registerActions } from './actions/registry.ts';
import { RequestLog } from './actions/request-log.ts';
import type { Config } from './config/config.ts';
import { Context } from './context/context.ts';
import { runTask } from './context/run-task.ts';
import { ConnectionBudget } from './db/budget.ts';
import { openDatabase } from './db/database.ts';
import { migrate, requireMigrated } from './db/migrations.ts';
import { summarizeOutages } from './db/outage-log.ts';
import { connectionLimits, type DatabaseServer } from './db/server.ts';
import { Signals } from './db/signals.ts';
import { SlowQueryLog } from './db/slow-query-log.ts';
import { fillEmptyTenant } from './demo/fill-empty-tenant.ts';
import { deliveryJob, eventsQueue } from './events/deliver-batch.ts';
import { DeliveryWorker } from './events/delivery-worker.ts';
import { EventFeed } from './events/event-feed.ts';
import { EventHub } from './events/event-hub.ts';
import { EventLogSignal, eventLogJobs } from './events/event-log.ts';
import { eventReader } from './events/event-reader.ts';
import { Figures } from './figures.ts';
import { fileActions } from './files/actions.ts';
import { FileStore } from './files/file-store.ts';
import { actionGateway } from './gateway/action-gateway.ts';
import { graphqlEngine } from './graphql/engine.ts';
import { healthActions } from './http/health.ts';
import { bossDatabase } from './jobs/boss-database.ts';
import { JobQueues } from './jobs/job-queues.ts';
import { kernelJobs } from './jobs/kernel-jobs.ts';
import type { JobHandler } from './jobs/task.ts';
import type { Kernel } from './kernel.ts';
import { collectConsoleFiles } from './loader/console-files.ts';
import { autoInstall, Installations } from './loader/installations.ts';
import { isSystem, type LoadedModule, loadModules } from './loader/load-modules.ts';
import { readMigrationSources } from './loader/migration-sources.ts';
import {
  collectConsumes,
  collectEvents,
  collectJobs,
  collectListeners,
  collectNotificationTypes,
  createIdentity,
  listAutoInstalled,
} from './loader/module-declarations.ts';
import { MailReader } from './mail/mail-reader.ts';
import { Mailer } from './mail/mailer.ts';
import { backupJobs } from './operator/backup-job.ts';
import { platformService } from './operator/platform-service.ts';
import { OutboundClient } from './outbound/outbound-client.ts';
import { createPersonalData } from './privacy/personal-data.ts';
import { tryAssignTenant } from './promotion/assign-tenant.ts';
import { PostgresPubSub } from './pubsub/postgres-pubsub.ts';
import { RedisPubSub } from './pubsub/redis-pubsub.ts';
import { openFcm } from './push/fcm.ts';
import { RateLimiter } from './rate-limiter.ts';
import { realtimeActions } from './realtime/actions.ts';
import { Realtime } from './realtime/realtime.ts';
import type { Redis } from './redis/redis.ts';
import { RedisCache } from './redis/redis-cache.ts';
import { RedisCounts } from './redis/redis-counts.ts';
import { RingForwarder } from './rings/ring-forwarder.ts';
import { ringUrlFinder } from './rings/ring-urls.ts';
import type { SecretBox } from './secrets.ts';
import { LocalCache } from './shared-cache.ts';
import { makeSystemServices } from './system-services.ts';
import type { Central } from './tenancy/central-database.ts';
import { Directory } from './tenancy/directory.ts';
import { recordOwnLabels } from './tenancy/domains.ts';
import { claimKey } from './tenancy/installation-key.ts';
import { migrationJobs } from './tenancy/migration-jobs.ts';
import { requireVersion } from './tenancy/minimum-version.ts';
import { moveJobs } from './tenancy/move-jobs.ts';
import { findServer, openServers } from './tenancy/servers.ts';
import { kernelSettings, SettingsStore } from './tenancy/settings.ts';
import { installationId, TenantDatabases } from './tenancy/tenant-databases.ts';
import { Tracer } from './tracing/tracer.ts';

/** Replacements for tests; production has none. */
export interface Overrides {
  readonly identity?: Identity | undefined;
  readonly modules?: readonly LoadedModule[];
  readonly actions?: Actions;
  readonly settings?: readonly SettingDefinition[];
  readonly now?: () => Date;
}

/** What must be open before the platform can boot. */
export interface BootOptions {
  readonly config: Config;
  readonly log: Log;
  readonly server: DatabaseServer;
  readonly secrets: SecretBox;
  /** Whether the central database is migrated; otherwise it must have all migrations. Default true. */
  readonly migrates?: boolean;
}

/** Wires the platform, from the database upward. There is no other wiring. */
export async function boot(
  { config, server, secrets, migrates = true, ...base }: BootOptions,
  overrides: Overrides = {},
): Promise<Kernel> {
  const log = summarizeOutages(base.log);
  const now = overrides.now ?? (() => new Date());
  const { address, centralDatabase: database } = server;
  const limits = connectionLimits(config);
  const modules = overrides.modules ?? (await loadModules(config));
  const [system, tenant] = [modules.filter(isSystem), modules.filter((module) => !isSystem(module))];
  const systemModules = new Set(system.map(({ alias }) => alias));
  const { central: centralMigrations, tenant: sources } = await readMigrationSources(modules);
  await requireVersion(address, database);
  await (migrates ? migrate : requireMigrated)(address, database, centralMigrations);
  await claimKey({ address, database }, limits, secrets.keyIds);

  const budget = new ConnectionBudget({
    ...limits,
    connections: config.databaseConnections,
    perDatabase: config.databaseConnectionsPerTenant,
    perDatabaseWhenShared: Math.ceil(config.databaseConnectionsPerTenant / 2),
    // A server that does not respond must not hold all connections.
    ...(config.databaseServers.length > 0 ? { perServer: Math.ceil(config.databaseConnections * 0.6) } : {}),
    waitTimeoutMs: config.databaseWaitTimeoutMs,
    slowQueries: new SlowQueryLog(log, config.slowQueryMs),
  });
  const centralTarget = { address, database, central: true };
  const db = openDatabase(budget, centralTarget);
  const host = { db, address, database, copyStrategy: config.databaseCopyStrategy };
  const central: Central = { ...host, servers: openServers(config, host, budget) };
  await recordOwnLabels(db, config);
  const signals = new Signals(address, database, limits, log);

  const directory = new Directory({
    central: db,
    budget,
    findAddress: (name) => findServer(central, name)?.address,
    holdTimeoutMs: config.databaseWaitTimeoutMs,
    signals,
    baseDomain: config.baseDomain,
    appUrl: config.appUrl,
  });
  const forwarder = new RingForwarder(ringUrlFinder(config, directory));
  const installations = new Installations(db, signals, config.ringName, systemModules);
  const declared = modules.flatMap(
    ({ manifest }) => (manifest.settings ?? []) as (SettingDefinition & { schema: TSchema })[],
  );
  const settings = new SettingsStore(db, [...kernelSettings, ...declared, ...(overrides.settings ?? [])], signals);
  const autoInstalled = listAutoInstalled(modules);
  const databases = new TenantDatabases(central, sources, config.spareDatabases, log, (tx, tenantId) =>
    autoInstall(tx, config.ringName, tenantId, autoInstalled),
  );

  const redis = config.redisUrl === undefined ? undefined : await openRedis(config.redisUrl, log);
  // Installations may share one Redis.
  const prefix = `chowk:${await installationId(db)}:`;
  const limiter = new RateLimiter(redis && new RedisCounts(redis, prefix));
  const cache = redis ? new RedisCache(redis, prefix, () => new LocalCache()) : new LocalCache();
  // The cache holds whether the platform is installed; another process may have reset it.
  const forgetInstalled = () => void cache.delete('app.installed').catch(() => {});
  void signals.listen('chowk_installed', { onNotify: forgetInstalled, onConnectionChange: forgetInstalled });
  const local = new PostgresPubSub(db, signals);
  const pubsub = redis ? new RedisPubSub(redis, prefix, local) : local;
  const http = new OutboundClient({ allowedHosts: config.outboundAllowHosts });
  const push = await openFcm({ config, http, now });
  const findDatabase = async (tenantId: string) => (await directory.find(tenantId))?.db;
  const files = new FileStore({ config, central: db, findDatabase, secrets, now, log });
  const audit = new AuditLog(log);
  const requestLog = new RequestLog(log);
  const calls = new CallCounts(db, config.ringName, modules, log);
  const hasModule = async (tenantId: string, alias: string) => installations.has(tenantId, alias);
  const actions: readonly RegisteredAction[] = [
    ...kernelActions('Platform', healthActions(config, central, redis)),
    ...moduleActions(modules),
    ...kernelActions(
      'Realtime',
      realtimeActions(config.appUrl, () => realtime),
    ),
    ...kernelActions('Files', fileActions(files)),
    ...kernelActions('Test', overrides.actions ?? {}),
  ];
  assertUniqueActions(actions);
  const operations = new Map(actions.filter(isOperation).map((action) => [action.name, action]));
  const declaredEvents = collectEvents(modules);
  const feed = new EventFeed(pubsub, declaredEvents.values());
  const listeners = [...collectListeners(modules), feed.listener()];
  const validates = config.appEnv !== 'production';
  const versions = new Map(modules.map(({ alias, manifest }) => [alias, manifest.version]));
  const events = new EventHub({ listeners, events: declaredEvents, versions, installations, central: db, validates });
  const eventLog = new EventLogSignal();
  const deliveries = new DeliveryWorker({
    listeners,
    read: eventReader({ events: declaredEvents, versions }),
    ring: config.ringName,
    hasModule,
    central: db,
    signals,
    log,
    find: (id) => directory.find(id),
    contextFor: (tenant, module, requestId) => new Context(kernel, { requestId, module, tenant, system: true }),
    jobs: () => jobs,
  });

  const tracer = Tracer.create(config, log);
  const add = (job: string, data: unknown, tx?: Db) =>
    jobs.addAll([{ task: { job, tenant: '', data, requestId: job } }], tx);
  const mailer = new Mailer({ config, secrets, now, add });

  const { handlers, schedules } = collectJobs(
    modules,
    {
      ...kernelJobs,
      ...eventLogJobs,
      ...mailer.jobs,
      ...files.jobs,
      ...moveJobs(central),
      ...migrationJobs(central, databases, config.ringName),
      ...backupJobs(() => kernel, config),
    },
    installations,
    (task, action) => runTask(kernel, task, action),
    (task, tenants) => jobs.addForTenants(task, tenants),
  );
  const jobs = new JobQueues({
    tracer,
    database: bossDatabase(budget, centralTarget, signals),
    central: db,
    handlers: new Map<string, JobHandler>([...handlers, [deliveryJob, deliveries.handler]]),
    schedules,
    ring: config.ringName,
    find: (tenantId) => directory.entry(tenantId),
    log,
  });
  const closing: (() => Promise<void>)[] = [];
  const services = makeSystemServices({
    config,
    log,
    central,
    centralMigrations,
    databases,
    modules,
    installations,
    settings,
    secrets,
    signals,
    directory,
    mailer,
    limiter,
    jobs,
    redis,
    cache,
    http,
    files,
    eventLog,
    now,
    actions: actionGateway(() => kernel, 'mcp'),
    graphql: graphqlEngine(() => kernel),
    fillWithDemoData: (tenantId, customers) => fillEmptyTenant(kernel, tenantId, customers),
    assignTenant: (assignment) => tryAssignTenant(kernel, assignment),
    platform: platformService(() => kernel),
    announceMigration: (tenantId) => void deliveries.announceMigration(tenantId),
    onClose: (work) => void closing.push(work),
  });
  // Before `signals` starts, so that its caches miss no notification.
  const moduleIdentity = await createIdentity(modules, services);
  const identity = overrides.identity ?? moduleIdentity;
  const realtime = new Realtime({
    pubsub,
    signals,
    directory,
    identity,
    secrets,
    log,
    socketsPerNetwork: config.socketsPerNetwork,
  });
  await signals.start();

  const kernel: Kernel = {
    config,
    log,
    central,
    budget,
    figures: new Figures(),
    databases,
    directory,
    forwarder,
    settings,
    identity,
    services,
    systemModules,
    secrets,
    limiter,
    cache,
    http,
    mailer,
    mailReader: new MailReader(),
    push,
    files,
    pubsub,
    realtime,
    modules,
    consoleFiles: collectConsoleFiles(modules),
    installations,
    operations,
    consumes: collectConsumes(modules),
    personalData: createPersonalData(tenant),
    notificationTypes: collectNotificationTypes(modules),
    audit,
    requestLog,
    calls,
    events,
    feed,
    eventLog,
    deliveries,
    jobs,
    signals,
    tracer,
    actions,
    actionsByName: new Map(actions.map((action) => [action.name, action])),
    now,
    async work(queues = jobs.names) {
      await jobs.work(queues);
      if (queues.includes(eventsQueue)) await deliveries.work();
    },
    async close() {
      kernel.figures.stop();
      await deliveries.close();
      await realtime.close();
      await feed.close();
      await jobs.stop(config.shutdownSeconds);
      await Promise.allSettled(closing.map((work) => work()));
      await audit.close();
      await requestLog.close();
      await calls.close();
      await databases.waitForRefill();
      await forwarder.close();
      await signals.close();
      await budget.close();
      mailer.close();
      kernel.mailReader.close();
      limiter.close();
      redis?.close();
      await tracer?.close();
    },
  };
  return kernel;
}

function kernelActions(tag: string, actions: Actions): RegisteredAction[] {
  return registerActions(actions, { module: undefined, tag });
}

function moduleActions(modules: readonly LoadedModule[]): RegisteredAction[] {
  return modules.flatMap(({ alias, manifest, definition: { actions, operations } }) =>
    registerActions(
      { ...actions, ...operations },
      { module: alias, tag: manifest.name, isSystem: isSystem({ manifest }) },
    ),
  );
}

/** Loads the client only if it is used: most commands need no Redis and start faster. */
async function openRedis(url: string, log: Log): Promise<Redis> {
  const { Redis } = await import('./redis/redis.ts');
  return new Redis(url, log);
}
