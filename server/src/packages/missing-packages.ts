import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { folderIntegrity, readLockFile } from '../loader/lock-file.ts';
import { modulesFolder, packageFolder } from '../loader/module-folders.ts';
import type { PackageId } from './package-name.ts';

/** The versions that a lock file names and that neither came with the platform nor are installed. */
export async function findMissing(
  config: Config,
  lockFile: string,
): Promise<(PackageId & { readonly integrity: string })[]> {
  const { modules } = await readLockFile(lockFile);
  const missing: (PackageId & { integrity: string })[] = [];
  for (const [alias, { version, integrity }] of Object.entries(modules)) {
    if (existsSync(packageFolder(config, alias, version))) continue;
    const own = join(modulesFolder, alias);
    if (existsSync(own) && (await folderIntegrity(own)) === integrity) continue;
    missing.push({ alias, version, integrity });
  }
  return missing;
}
