import { resolve, sep } from 'node:path';
import { resolveKitFor } from '../loader/kit-resolution.ts';
import { findModules, type LoadedModule, loadModule } from '../loader/load-modules.ts';
import { readManifest } from '../loader/manifest.ts';
import { packModule } from '../packages/pack-module.ts';
import { type Command, UsageError } from './command.ts';

export const modulePackCommand: Command = {
  name: 'module:pack',
  usage: '<alias or folder> [--out=<folder>] [--json]',
  summary: 'bundle a module with its dependencies into <ModuleName>-<version>.zip',
  options: { out: { type: 'string', default: '.' } },
  positionals: { min: 1, max: 1 },
  async run({ say, table }, { positionals: [source = ''], options }) {
    const modules = await Promise.all(
      (await findModules()).map(({ folder, manifest }) => loadModule(folder, manifest)),
    );
    const module = source.includes(sep)
      ? await loadFolder(resolve(source))
      : modules.find(({ alias }) => alias === source);
    if (!module) {
      const aliases = modules.map(({ alias }) => alias).join(', ');
      throw new UsageError(`there is no module ${source}; give its folder, or one of ${aliases}`);
    }
    const file = await packModule(module, modules, resolve(String(options.out)));
    const { alias, manifest } = module;
    if (options.json) table([{ alias, version: manifest.version, file }], '');
    else say(`Packed ${alias} ${manifest.version} into ${file}.`);
  },
};

/** A module outside of the repository. */
async function loadFolder(folder: string): Promise<LoadedModule> {
  resolveKitFor(folder);
  return loadModule(folder, await readManifest(`${folder}/module.json`));
}
