import { type Command, UsageError } from './command.ts';

export const jobsRetryCommand: Command = {
  name: 'jobs:retry',
  usage: '<id> | --all',
  summary: 'send jobs that have failed for good back to their queues',
  options: { all: { type: 'boolean' } },
  words: { least: 0, most: 1 },
  async run({ kernel, say }, { words: [id], options }) {
    if ((id === undefined) === (options.all !== true)) throw new UsageError('name a job or say --all');
    const { jobs } = await kernel();
    const count = await jobs.retryDead(id);
    if (id !== undefined && count === 0)
      throw new Error(`no job ${id} has failed for good; 'chowkd jobs:list' lists them`);
    say(`${count} sent back.`);
  },
};
