import { publishPackage } from '../packages/publish-package.ts';
import { readPrivateKey } from '../packages/signature.ts';
import type { Command } from './command.ts';

export const modulePublishCommand: Command = {
  name: 'module:publish',
  usage: '<zip> [--key=<file>] [--json]',
  summary: 'put a package of a module into the registry, signed if there is a key',
  options: { key: { type: 'string' } },
  positionals: { min: 1, max: 1 },
  async run({ config, say, table }, { positionals: [zip = ''], options }) {
    const key = options.key === undefined ? undefined : await readPrivateKey(String(options.key));
    const published = await publishPackage(config, zip, key);
    if (options.json) table([published], '');
    else say(`Published ${published.alias}@${published.version} as ${published.file} in ${published.registry}.`);
  },
};
