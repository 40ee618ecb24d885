import type { Command } from './command.ts';

export const jobsListCommand: Command = {
  name: 'jobs:list',
  usage: '[--json]',
  summary: 'list background jobs that wait, run or have failed for good',
  async run({ kernel, table }) {
    const { jobs } = await kernel();
    await jobs.start();
    table(await jobs.list(), 'Nothing waits, runs or has failed.');
  },
};
