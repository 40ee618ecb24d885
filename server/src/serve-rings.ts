import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { type Db, type Log, sql } from '@chowk/kit/kernel';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config/config.ts';
import { ConnectionBudget } from './db/budget.ts';
import { openDatabase } from './db/database.ts';
import { migrate, readMigrations } from './db/migrations.ts';
import { connectionLimits, type DatabaseServer, openServer } from './db/server.ts';
import { Signals } from './db/signals.ts';
import { lockStorage } from './db/storage-lock.ts';
import { buildConsole } from './http/console-files.ts';
import { createFront } from './http/front.ts';
import { listenProblem } from './http/listen-problem.ts';
import { createLog } from './log.ts';
import { type Session, UsageError } from './operator/command.ts';
import { stopSignal } from './operator/stop-signal.ts';
import { logUnhandledRejections } from './operator/unhandled-rejections.ts';
import { ringEnvironment } from './rings/ring-environment.ts';
import { RingForwarder } from './rings/ring-forwarder.ts';
import { launchRing, RingProcess, type RingReport } from './rings/ring-process.ts';
import { type ReloadReport, reloadChannel, reloadReportChannel } from './rings/ring-reload.ts';
import { ringUrlFinder } from './rings/ring-urls.ts';
import { Directory } from './tenancy/directory.ts';
import { requireVersion } from './tenancy/minimum-version.ts';
import { listRings, type Ring } from './tenancy/rings.ts';
import { findServer, openServers } from './tenancy/servers.ts';
import { withTimeout } from './with-timeout.ts';

interface RingsOptions {
  /** Names, separated by commas. */
  readonly rings: string;
  readonly builds: boolean;
}

/** The front reads tenants and rings only. */
const frontConnections = 4;
const migrationsFolder = resolve(import.meta.dirname, '../migrations/central');

/** Runs a process for each ring, and a front that sends each request to one of them. The front loads no module. */
export async function serveRings({ config, say, progress }: Session, options: RingsOptions): Promise<void> {
  const names = [...new Set(options.rings.split(',').map((name) => name.trim()))].filter(Boolean);
  if (names.length === 0) throw new UsageError('--rings must name at least one ring, such as --rings=stable,edge');
  const stop = stopSignal();
  const log = createLog(config);
  logUnhandledRejections(log);
  const server = await openServer(config, progress);
  const closers: (() => Promise<unknown>)[] = [server.close];
  try {
    const parts = await openDirectory(config, server, log);
    closers.unshift(parts.close);
    const rings = chooseRings(await listRings(parts.db), names);
    const { address, centralDatabase: database } = server;
    if (server.embedded) closers.unshift(await lockStorage({ address, database }, config.storagePath));
    if (options.builds) await build(log);
    await runFront({ config, log, say, stop, rings, ...parts });
  } finally {
    for (const close of closers) await close();
  }
}

/** What the front needs of the central database, which it migrates first. */
async function openDirectory(config: Config, { address, centralDatabase: database }: DatabaseServer, log: Log) {
  await requireVersion(address, database);
  await migrate(address, database, [await readMigrations('kernel', migrationsFolder)]);
  const limits = connectionLimits(config);
  const budget = new ConnectionBudget({
    ...limits,
    connections: frontConnections,
    perDatabase: 1,
    waitTimeoutMs: config.databaseWaitTimeoutMs,
  });
  const db = openDatabase(budget, { address, database, central: true });
  const servers = openServers(config, { db, address, database, copyStrategy: config.databaseCopyStrategy }, budget);
  const signals = new Signals(address, database, limits, log);
  const directory = new Directory({
    central: db,
    budget,
    findAddress: (name) => findServer({ servers }, name)?.address,
    holdTimeoutMs: config.databaseWaitTimeoutMs,
    signals,
    baseDomain: config.baseDomain,
    appUrl: config.appUrl,
  });
  await signals.start();
  const close = async () => {
    await signals.close();
    await budget.close();
  };
  return { db, signals, directory, close };
}

function chooseRings(rings: readonly Ring[], names: readonly string[]): Ring[] {
  return names.map((name) => {
    const ring = rings.find((one) => one.name === name);
    const known = rings.filter((one) => one.is_active).map((one) => one.name);
    if (!ring) throw new Error(`there is no ring ${name}; the active rings are ${known.join(', ')}`);
    if (!ring.is_active) throw new Error(`the ring ${name} is not active; run 'chowkd ring:activate ${name}' first`);
    return ring;
  });
}

async function build(log: Log): Promise<void> {
  await buildConsole(new AbortController().signal).catch((error: unknown) =>
    log.error({ err: error }, 'could not build the console; the last build is served'),
  );
}

interface FrontOptions {
  readonly config: Config;
  readonly log: Log;
  readonly say: (line: string) => void;
  readonly stop: Promise<string>;
  readonly rings: readonly Ring[];
  readonly db: Db;
  readonly signals: Signals;
  readonly directory: Directory;
}

/** Runs the front and the processes until `stop`. */
async function runFront({ config, log, say, stop, rings, db, signals, directory }: FrontOptions): Promise<void> {
  const processes = new Map<string, RingProcess>();
  const findElsewhere = ringUrlFinder(config, directory);
  const forwarder = new RingForwarder((ring) => processes.get(ring)?.findUrl() ?? findElsewhere(ring));
  const front = createFront({ config, log, directory, forwarder });
  let stopped: Promise<unknown> | undefined;
  // When the clients have moved on, and before the front waits for the responses to their last requests.
  front.addHook('preClose', async () => {
    stopped = Promise.all([...processes.values()].map((one) => one.stop()));
  });
  const url = await listen(front, config);
  const publicUrl = config.port === 0 && !config.setVariables.includes('APP_URL') ? url : config.appUrl;
  let greeting: RingReport['greeting'] = [];
  for (const ring of rings) {
    const environment = ringEnvironment(config, { ring, rings, frontUrl: url, publicUrl });
    const started = new RingProcess({
      ring: ring.name,
      launch: () => launchRing(join(import.meta.dirname, 'main.ts'), environment),
      log,
      onReady: (report) => {
        if (ring.is_default) greeting = report.greeting;
      },
      onRetired: (retired) => forwarder.retire(retired),
    });
    processes.set(ring.name, started);
    void started.start();
  }
  await signals.listen(reloadChannel, {
    onNotify(ring) {
      const serving = processes.get(ring);
      if (!serving) return;
      reload(db, ring, serving).catch((error: unknown) =>
        log.warn({ err: error, ring }, 'could not report how far the replacement of a process is'),
      );
    },
    onConnectionChange: () => {},
  });
  const all = [...processes.values()];
  const ready = Promise.all(all.map((one) => one.ready)).then(() => {
    say(`Chowk is ready at ${publicUrl} (press Ctrl-C to stop)`);
    for (const line of greeting) say(line);
  });
  await Promise.race([ready, stop]);
  log.info({}, `${await stop}: finishing requests in flight`);
  await withTimeout(
    config.shutdownSeconds,
    front.close().then(() => stopped),
  );
  for (const one of all) one.kill();
  await forwarder.close();
}

/** Replaces the process, and reports it to the operator who waits for it. */
async function reload(db: Db, ring: string, serving: RingProcess): Promise<void> {
  const report = (status: ReloadReport['status']) => {
    const text: ReloadReport = { ring, front: `${hostname()}:${process.pid}`, status };
    return db.run(sql`SELECT pg_notify(${reloadReportChannel}, ${JSON.stringify(text)})`);
  };
  const isReady = serving.start();
  await report('starting');
  await report((await isReady) ? 'ready' : 'failed');
}

async function listen(front: FastifyInstance, { host, port }: Config): Promise<string> {
  return front.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(listenProblem(error, host, port));
  });
}
