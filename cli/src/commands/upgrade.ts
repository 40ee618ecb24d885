import type { Command } from '../command.ts';
import { ExitError, exitCodes } from '../exit.ts';

export const upgradeCommand: Command = {
  words: ['upgrade'],
  summary: 'Upgrade this program',
  async run() {
    throw new ExitError(exitCodes.general, 'This build cannot upgrade itself.');
  },
};
