import type { Command } from './command.ts';

export const jobsListCommand: Command = {
  name: 'jobs:list',
  usage: '[--json]',
  summary: 'list background jobs that are waiting, running or have failed permanently',
  async run({ kernel, table }) {
    const { jobs } = await kernel();
    await jobs.start();
    table(await jobs.list(), 'There are no waiting, running or failed jobs.');
  },
};
