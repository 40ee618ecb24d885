import { findModules, loadModule } from '../loader/load-modules.ts';
import { packedManifest } from '../loader/packed-manifest.ts';
import { type Command, UsageError } from './command.ts';

export const moduleShowCommand: Command = {
  name: 'module:show',
  usage: '<alias>',
  summary: 'show the manifest of a module as it is packed, with the operations that it provides and consumes',
  positionals: { min: 1, max: 1 },
  async run({ say }, { positionals: [alias] }) {
    const modules = await Promise.all(
      (await findModules()).map(({ folder, manifest }) => loadModule(folder, manifest)),
    );
    const module = modules.find((one) => one.alias === alias);
    if (!module) {
      const aliases = modules.map((one) => one.alias).join(', ');
      throw new UsageError(`there is no module ${alias}; these are in modules/: ${aliases}`);
    }
    say(JSON.stringify(packedManifest(module, modules), null, 2));
  },
};
