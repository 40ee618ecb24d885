import type { Command } from './command.ts';

export const jobsListCommand: Command = {
  name: 'jobs:list',
  usage: '[--failed] [--json]',
  summary: 'list background jobs that have failed permanently, then those that are running or waiting',
  options: { failed: { type: 'boolean' } },
  async run({ kernel, table, progress }, { options }) {
    const { jobs } = await kernel();
    await jobs.start();
    const { rows, total } = await jobs.list({ onlyFailed: options.failed === true });
    table(rows, options.failed ? 'There are no failed jobs.' : 'There are no waiting, running or failed jobs.');
    if (total > rows.length) progress(`${(total - rows.length).toLocaleString('en')} more are not shown.`);
  },
};
