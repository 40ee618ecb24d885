import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compare } from 'semver';
import { type Manifest, readManifest } from '../loader/manifest.ts';
import { isAlias, isVersion } from './package-name.ts';

/** The manifests of the packages under `MODULES_PATH`, by alias and version. */
export async function listPackages(modulesPath: string): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const alias of (await readNames(modulesPath)).filter(isAlias)) {
    const versions = (await readNames(join(modulesPath, alias))).filter(isVersion);
    for (const version of versions.sort(compare)) {
      manifests.push(await readManifest(join(modulesPath, alias, version, 'module.json')));
    }
  }
  return manifests;
}

async function readNames(folder: string): Promise<string[]> {
  return existsSync(folder) ? (await readdir(folder)).sort() : [];
}
