import type { Command } from '../command.ts';

export const versionCommand: Command = {
  words: ['version'],
  summary: 'Show the version of this program',
  async run({ stdout, build }) {
    stdout.write(`chowk ${build.version}\n`);
  },
};
