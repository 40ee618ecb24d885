import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { sql } from '@chowk/kit/kernel';
import type { Kernel } from '../kernel.ts';
import { checkMetricsAccess } from '../metrics/access.ts';
import { createRegistry, printMetrics } from '../metrics/registry.ts';
import { type Command, UsageError } from './command.ts';
import { checkStart } from './start-checks.ts';
import { stopSignal } from './stop-signal.ts';
import { logUnhandledRejections } from './unhandled-rejections.ts';

export const workCommand: Command = {
  name: 'work',
  usage: '[--queue=<name,…>] [--port=<port>]',
  summary:
    'run background jobs of all queues, or of some, until stopped; with --port, /live and /ready answer the probes of an orchestrator, and /metrics those of Prometheus',
  options: { queue: { type: 'string' }, port: { type: 'string' } },
  async run({ kernel: open, config, say }, { options }) {
    const stop = stopSignal();
    const kernel = await open();
    const { jobs, log } = kernel;
    logUnhandledRejections(log);
    await checkStart(kernel);
    const queues = options.queue === undefined ? jobs.names : String(options.queue).split(',');
    const unknown = queues.find((queue) => !jobs.names.includes(queue));
    if (unknown !== undefined)
      throw new UsageError(`there is no queue ${unknown}; choose from ${jobs.names.join(', ')}`);
    const probes = options.port === undefined ? undefined : await answerProbes(String(options.port), kernel);
    await kernel.work(queues);
    say(`Running jobs of ${queues.join(', ')} (press Ctrl-C to stop)`);
    log.info({}, `${await stop}: finishing running jobs, for at most ${config.shutdownSeconds} seconds`);
    probes?.close();
  },
};

/** `/ready` fails while the central database cannot be used, `/live` only if the process does not respond. */
async function answerProbes(text: string, kernel: Kernel): Promise<Server> {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError('--port must be an integer from 1 to 65535');
  const registry = createRegistry(kernel);
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const end = (status: number, headers = {}, body?: string) =>
      response.writeHead(status, { connection: 'close', ...headers }).end(body);
    if (request.url === '/live') return end(200);
    if (request.url === '/ready') return end((await isReady(kernel)) ? 200 : 503);
    if (request.url !== '/metrics') return end(404);
    const access = checkMetricsAccess(kernel.config, request);
    if (access === 'unauthenticated') return end(401, { 'www-authenticate': 'Bearer' });
    if (access === 'forbidden') return end(403);
    const { type, text: metrics } = await printMetrics(registry);
    return end(200, { 'content-type': type }, metrics);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  return server;
}

async function isReady({ central }: Kernel): Promise<boolean> {
  return central.db.row(sql`SELECT 1`).then(
    () => true,
    () => false,
  );
}
