import { createServer, type Server } from 'node:http';
import { type Db, sql } from '@chowk/kit/kernel';
import { type Command, UsageError } from './command.ts';
import { checkStart } from './start-checks.ts';
import { stopSignal } from './stop-signal.ts';
import { logUnhandledRejections } from './unhandled-rejections.ts';

export const workCommand: Command = {
  name: 'work',
  usage: '[--queue=<name,…>] [--port=<port>]',
  summary:
    'run background jobs of all queues, or of some, until stopped; with --port, /live and /ready answer the probes of an orchestrator',
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
    const probes = options.port === undefined ? undefined : await answerProbes(String(options.port), kernel.central.db);
    await kernel.work(queues);
    say(`Running jobs of ${queues.join(', ')} (press Ctrl-C to stop)`);
    log.info({}, `${await stop}: finishing running jobs, for at most ${config.shutdownSeconds} seconds`);
    probes?.close();
  },
};

/** `/ready` fails while the central database cannot be used, `/live` only if the process does not respond. */
async function answerProbes(text: string, central: Db): Promise<Server> {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new UsageError('--port must be an integer from 1 to 65535');
  const server = createServer((request, response) => {
    const checked = request.url === '/ready' ? central.row(sql`SELECT 1`) : Promise.resolve();
    const answer = (status: number) => response.writeHead(status, { connection: 'close' }).end();
    checked.then(
      () => answer(['/live', '/ready'].includes(request.url ?? '') ? 200 : 404),
      () => answer(503),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  return server;
}
