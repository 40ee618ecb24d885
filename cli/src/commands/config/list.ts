import type { Command } from '../../command.ts';
import { readConfigFile } from '../../config/config-file.ts';
import { type ConfigKey, configKeys, getConfig } from '../../config/config-keys.ts';
import { printJson, printList, wantsJson } from '../../output/print.ts';
import { readSettings } from '../../settings.ts';

export const configListCommand: Command = {
  words: ['config', 'list'],
  summary: 'List the configuration',
  async run(environment, { options }) {
    const file = await readConfigFile(environment);
    const { apiUrl } = await readSettings(environment, options);
    const list = (Object.keys(configKeys) as ConfigKey[]).map((key) => ({
      key,
      value: key === 'api_url' ? apiUrl : (getConfig(file, apiUrl, key) ?? ''),
      meaning: configKeys[key],
    }));
    if (!wantsJson(options)) return printList(environment, options, list, { key: undefined });
    await printJson(environment, options, Object.fromEntries(list.map(({ key, value }) => [key, value])));
  },
};
