import type { Command } from '../../command.ts';
import { readConfigFile } from '../../config/config-file.ts';
import { getConfig, toConfigKey } from '../../config/config-keys.ts';
import { readSettings } from '../../settings.ts';

export const configGetCommand: Command = {
  words: ['config', 'get'],
  summary: 'Show a value of the configuration',
  arguments: [{ name: 'key', help: "The key; 'chowk config list' shows them." }],
  examples: ['chowk config get api_url'],
  async run(environment, { arguments: [given = ''], options }) {
    const key = toConfigKey(given);
    const { apiUrl } = await readSettings(environment, options);
    const value = key === 'api_url' ? apiUrl : getConfig(await readConfigFile(environment), apiUrl, key);
    if (value !== undefined) environment.stdout.write(`${value}\n`);
  },
};
