import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findModules, loadModule } from '../loader/load-modules.ts';
import { readManifest } from '../loader/manifest.ts';
import { packageFolder } from '../loader/module-folders.ts';
import { packedManifest } from '../loader/packed-manifest.ts';
import { listPackages } from '../packages/installed-packages.ts';
import { readPackageId } from '../packages/package-name.ts';
import { type Command, UsageError } from './command.ts';

export const moduleShowCommand: Command = {
  name: 'module:show',
  usage: '<alias>[@<version>]',
  summary: 'show the manifest of a module as it is packed, with the operations that it provides and consumes',
  positionals: { min: 1, max: 1 },
  async run({ config, say }, { positionals: [name = ''] }) {
    const id = readPackageId(name);
    const installed = id && join(packageFolder(config, id.alias, id.version), 'module.json');
    if (installed !== undefined && existsSync(installed)) {
      return say(JSON.stringify(await readManifest(installed), null, 2));
    }
    const modules = await Promise.all(
      (await findModules()).map(({ folder, manifest }) => loadModule(folder, manifest)),
    );
    const module = modules.find(
      ({ alias, manifest }) => alias === (id?.alias ?? name) && (!id || manifest.version === id.version),
    );
    if (module) return say(JSON.stringify(packedManifest(module, modules), null, 2));
    const packages = await listPackages(config.modulesPath);
    const newest = id ? undefined : packages.findLast(({ alias }) => alias === name);
    if (newest) return say(JSON.stringify(newest, null, 2));
    const all = [...modules.map(({ alias }) => alias), ...packages.map(({ alias, version }) => `${alias}@${version}`)];
    throw new UsageError(`there is no module ${name}; these are there: ${all.join(', ')}`);
  },
};
