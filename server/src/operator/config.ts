import { describeConfig } from '../config/config.ts';
import type { Command } from './command.ts';

export const configCommand: Command = {
  name: 'config',
  usage: '[--json]',
  summary: 'print the effective configuration, with secrets masked',
  async run({ config, table }) {
    table(
      describeConfig(config).map(({ name, value, source }) => ({ name, value, source })),
      '',
    );
  },
};
