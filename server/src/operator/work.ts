import { type Command, UsageError } from './command.ts';
import { stopSignal } from './stop-signal.ts';

export const workCommand: Command = {
  name: 'work',
  usage: '[--queue=<name,…>]',
  summary: 'do background jobs, of all queues or of some, until it is told to stop',
  options: { queue: { type: 'string' } },
  async run({ kernel: open, config, say }, { options }) {
    const stop = stopSignal();
    const { jobs, events, directory, log } = await open();
    const wanted = options.queue === undefined ? jobs.names : String(options.queue).split(',');
    const unknown = wanted.find((queue) => !jobs.names.includes(queue));
    if (unknown !== undefined) throw new UsageError(`there is no queue ${unknown}; there are ${jobs.names.join(', ')}`);
    await jobs.work(wanted);
    if (wanted.includes('events')) events.startSweeping((id) => directory.find(id));
    say(`Working on ${wanted.join(', ')} (stop it with Ctrl-C)`);
    log.info({}, `${await stop}: finishing what is under way, for at most ${config.shutdownSeconds} seconds`);
  },
};
