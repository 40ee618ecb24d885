import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { folderIntegrity, type LockedModule } from './lock-file.ts';
import { repository } from './lock-path.ts';
import { readManifest } from './manifest.ts';

/** The modules that come with the platform. */
export const modulesFolder = join(repository, 'modules');

/** The folder of an installed package. */
export function packageFolder({ modulesPath }: Pick<Config, 'modulesPath'>, alias: string, version: string): string {
  return join(modulesPath, alias, version);
}

/**
 * The folder with a locked version of a module: one that comes with the platform, or an installed package. If both have the
 * version, the one with the locked content.
 */
export async function findModuleFolder(config: Config, alias: string, locked: LockedModule): Promise<string> {
  const own = join(modulesFolder, alias);
  const ownVersion = existsSync(join(own, 'module.json'))
    ? (await readManifest(join(own, 'module.json'))).version
    : undefined;
  const installed = packageFolder(config, alias, locked.version);
  const hasPackage = existsSync(join(installed, 'module.json'));
  if (ownVersion === locked.version && hasPackage) {
    return (await folderIntegrity(own)) === locked.integrity ? own : installed;
  }
  if (hasPackage) return installed;
  if (ownVersion === locked.version) return own;
  const found = ownVersion === undefined ? '' : `; the platform comes with ${ownVersion}`;
  throw new Error(
    `the lock file names ${alias} ${locked.version}, which is not installed${found}; run 'chowkd module:install --locked' to download it, or 'chowkd module:lock' to lock what is there`,
  );
}

/** A file of a module's code: JavaScript in a package, else TypeScript. */
export function codeFile(folder: string, name: string): string {
  const packed = join(folder, `${name}.js`);
  return existsSync(packed) ? packed : join(folder, `${name}.ts`);
}
