import { Context } from './context/context.ts';
import { lockStorage } from './db/storage-lock.ts';
import { buildConsole, consoleFiles } from './http/console-files.ts';
import { listenProblem } from './http/listen-problem.ts';
import { createHttpServer } from './http/server.ts';
import type { Kernel } from './kernel.ts';
import type { CommandInput, Session } from './operator/command.ts';
import { enableModules, seedModules } from './operator/seed-modules.ts';
import { checkStart } from './operator/start-checks.ts';
import { stopSignal } from './operator/stop-signal.ts';
import { logUnhandledRejections } from './operator/unhandled-rejections.ts';
import { connectFront } from './rings/ring-process.ts';
import { type Receiver, startReceiver } from './smtp/receiver.ts';
import { migrateFleet } from './tenancy/migrate-fleet.ts';
import { recordPlatformVersion } from './tenancy/rings.ts';
import { version } from './version.ts';
import { withTimeout } from './with-timeout.ts';

/** Runs the platform in this process until it is stopped. */
export async function servePlatform(session: Session, options: CommandInput['options']): Promise<void> {
  const { config, kernel: open, say } = session;
  const front = options['ring-process'] ? connectFront() : undefined;
  const stop = front ? front.stopped : stopSignal();
  const stopping = new AbortController();
  void stop.then(() => stopping.abort());
  // Meanwhile the platform starts.
  const built = options['no-build'] ? undefined : buildConsole(stopping.signal).catch((error: unknown) => ({ error }));
  const kernel = await open();
  logUnhandledRejections(kernel.log);
  await checkStart(kernel);
  const release =
    config.databaseUrl === undefined && !front ? await lockStorage(kernel.central, config.storagePath) : undefined;
  kernel.services.graphql.composeAll();
  await seedModules(kernel);
  await recordPlatformVersion(kernel.central.db, config.ringName, version);
  // Before the first request, whose transaction may add a job and must not wait for a second connection.
  await kernel.jobs.start();
  const app = await createHttpServer(kernel);
  let receiver: Receiver | undefined;
  try {
    const failed = await built;
    if (failed && !stopping.signal.aborted) {
      kernel.log.error({ err: failed.error }, 'could not build the console; the last build is served');
    }
    await consoleFiles();
    const address = await app.listen({ host: config.host, port: config.port }).catch((error: NodeJS.ErrnoException) => {
      throw new Error(listenProblem(error, config.host, config.port));
    });
    if (config.inboundSmtpPort !== undefined) receiver = await startReceiver(kernel, { isShared: front !== undefined });
    if (front) front.report({ url: address, greeting: await greetings(kernel, config.appUrl) });
    else await announce(kernel, address, say);
    if (!options['no-work']) await kernel.work();
    void prepareDatabases(kernel);
    kernel.log.info({}, `${await stop}: finishing requests in flight`);
  } finally {
    await withTimeout(config.shutdownSeconds, Promise.all([app.close(), receiver?.close()]));
    await release?.();
  }
}

async function announce(kernel: Kernel, address: string, say: (line: string) => void): Promise<void> {
  // With port 0 the operating system chooses the port.
  const url = kernel.config.port === 0 ? address : kernel.config.appUrl;
  say(`Chowk is ready at ${url} (press Ctrl-C to stop)`);
  for (const line of await greetings(kernel, url)) say(line);
}

async function greetings(kernel: Kernel, url: string): Promise<string[]> {
  const lines = kernel.modules.map(({ alias: module, definition }) =>
    definition.greeting?.(new Context(kernel, { requestId: 'serve', module, system: true }), url),
  );
  return (await Promise.all(lines)).flatMap((greeting) => greeting ?? []);
}

/** Background work that need not delay the first request. */
async function prepareDatabases(kernel: Kernel): Promise<void> {
  const { central, databases, config, log } = kernel;
  try {
    if (config.migrateOnStart) {
      const { failed } = await migrateFleet(central.db, databases, {
        parallel: 2,
        ring: config.ringName,
      });
      for (const { id, error } of failed) log.error({ tenant: id }, error);
    }
    await enableModules(kernel);
    await databases.refillSpares();
  } catch (error) {
    log.error({ err: error }, 'could not migrate or prepare tenant databases');
  }
}
