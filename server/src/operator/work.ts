import { type Command, UsageError } from './command.ts';
import { checkStart } from './start-checks.ts';
import { stopSignal } from './stop-signal.ts';
import { logUnhandledRejections } from './unhandled-rejections.ts';

export const workCommand: Command = {
  name: 'work',
  usage: '[--queue=<name,…>]',
  summary: 'run background jobs of all queues, or of some, until stopped',
  options: { queue: { type: 'string' } },
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
    await kernel.work(queues);
    say(`Running jobs of ${queues.join(', ')} (press Ctrl-C to stop)`);
    log.info({}, `${await stop}: finishing running jobs, for at most ${config.shutdownSeconds} seconds`);
  },
};
