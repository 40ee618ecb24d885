import type { Command } from '../../command.ts';
import { setConfig, toConfigKey } from '../../config/config-keys.ts';
import { readSettings } from '../../settings.ts';

export const configSetCommand: Command = {
  words: ['config', 'set'],
  summary: 'Set a value of the configuration',
  description: 'An empty value removes it.',
  arguments: [
    { name: 'key', help: "The key; 'chowk config list' shows them." },
    { name: 'value', help: 'The value.' },
  ],
  examples: ['chowk config set api_url https://chowk.example.com', 'chowk config set no_telemetry true'],
  async run(environment, { arguments: [given = '', value = ''], options }) {
    const { apiUrl } = await readSettings(environment, options);
    await setConfig(environment, apiUrl, toConfigKey(given), value);
  },
};
