import { countOf } from '../count-of.ts';
import { type Command, UsageError } from './command.ts';

export const jobsRetryCommand: Command = {
  name: 'jobs:retry',
  usage: '<id> | --all [--json]',
  summary: 'retry jobs that have failed permanently',
  options: { all: { type: 'boolean' } },
  positionals: { min: 0, max: 1 },
  async run({ kernel, say, table }, { positionals: [id], options }) {
    if ((id === undefined) === (options.all !== true)) throw new UsageError('specify the id of a job or --all');
    const { jobs } = await kernel();
    const count = await jobs.retryDead(id);
    if (id !== undefined && count === 0)
      throw new Error(`there is no failed job ${id}; run 'chowkd jobs:list' to see all jobs`);
    if (options.json) return table([{ retried: count }], '');
    say(`Retrying ${countOf(count, 'job')}.`);
  },
};
