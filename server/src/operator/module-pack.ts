import { realpath } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { Config } from '../config/config.ts';
import { resolveKitFor } from '../loader/kit-resolution.ts';
import { findModules, type LoadedModule, loadLockedModules, loadModule } from '../loader/load-modules.ts';
import { readLockFile } from '../loader/lock-file.ts';
import { lockPath, repository } from '../loader/lock-path.ts';
import { consumedOperation, readManifest } from '../loader/manifest.ts';
import { findOperation } from '../loader/packed-manifest.ts';
import { packModule } from '../packages/pack-module.ts';
import { type Command, UsageError } from './command.ts';

export const modulePackCommand: Command = {
  name: 'module:pack',
  usage: '<alias or folder> [--out=<folder>] [--json]',
  summary: 'bundle a module with its dependencies into <ModuleName>-<version>.zip',
  options: { out: { type: 'string', default: '.' } },
  positionals: { min: 1, max: 1 },
  async run({ config, say, table, progress }, { positionals: [source = ''], options }) {
    const modules = await knownModules(config);
    const module = source.includes(sep) ? await loadFolder(source) : modules.find(({ alias }) => alias === source);
    if (!module) {
      const aliases = modules.map(({ alias }) => alias).join(', ');
      throw new UsageError(`there is no module ${source}; give its folder, or one of ${aliases}`);
    }
    const { alias, manifest } = module;
    for (const { operation } of (manifest.api?.consumes ?? []).map(consumedOperation)) {
      if (findOperation(modules, operation)) continue;
      progress(
        `No module here provides ${operation}, so that the package does not contain the schemas of this operation.`,
      );
    }
    const file = await packModule(module, modules, resolve(String(options.out)));
    if (options.json) table([{ alias, version: manifest.version, file }], '');
    else say(`Packed ${alias} ${manifest.version} into ${file}.`);
  },
};

/** The modules in `modules/`, and the packages in the lock file of this ring. */
async function knownModules(config: Config): Promise<LoadedModule[]> {
  const own = await Promise.all((await findModules()).map(({ folder, manifest }) => loadModule(folder, manifest)));
  const locked = await loadLockedModules(config, await readLockFile(resolve(repository, lockPath(config))));
  return [...own, ...locked.filter(({ alias }) => !own.some((module) => module.alias === alias))];
}

/** A module outside of the repository. */
async function loadFolder(path: string): Promise<LoadedModule> {
  const manifest = await readManifest(join(path, 'module.json'));
  const folder = await realpath(path);
  resolveKitFor(folder);
  return loadModule(folder, manifest);
}
