import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Module } from '@chowk/kit/kernel';
import { satisfies } from 'semver';
import type { Config } from '../config/config.ts';
import { type MigrationSource, readMigrations } from '../db/migrations.ts';
import { errorLocation } from '../error-location.ts';
import { version } from '../version.ts';
import { type ConsoleScript, readConsoleScripts } from './bundle-console.ts';
import { checkModule, checkReferences } from './check-modules.ts';
import { type GraphqlFiles, readGraphqlFiles } from './graphql-files.ts';
import { resolveKitFor } from './kit-resolution.ts';
import { folderIntegrity, type LockedModule, type LockFile, readLockFile } from './lock-file.ts';
import { lockPath, repository } from './lock-path.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { codeFile, findModuleFolder, modulesFolder } from './module-folders.ts';
import { completeManifest } from './packed-manifest.ts';
import { undeclaredCalls } from './undeclared-calls.ts';

export interface LoadedModule {
  readonly alias: string;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly definition: Module;
  readonly migrations: MigrationSource;
  readonly graphql?: GraphqlFiles | undefined;
  /** The scripts of its components in the console, by name. */
  readonly consoleScripts?: ReadonlyMap<string, ConsoleScript>;
}

/** Loads the modules that the ring's lock file names. */
export async function loadModules(config: Config): Promise<LoadedModule[]> {
  const modules = await loadLockedModules(config, await readLockFile(resolve(repository, lockPath(config))));
  checkReferences(modules);
  return modules;
}

/**
 * Loads the modules of a lock file. The content of an installed package must match the lock file; that of a module that comes
 * with the platform, only in production.
 */
export async function loadLockedModules(config: Config, lock: LockFile): Promise<LoadedModule[]> {
  const modules: LoadedModule[] = [];
  for (const [alias, locked] of Object.entries(lock.modules)) {
    const { folder, isPackage, manifest } = await openModule(config, alias, locked);
    if ((isPackage || config.appEnv === 'production') && (await folderIntegrity(folder)) !== locked.integrity) {
      throw new Error(`${folder} differs from the lock file; 'chowkd module:verify' lists the differences`);
    }
    modules.push(await loadModule(folder, manifest));
  }
  return modules;
}

/** Finds a locked module and makes it possible to load it. */
export async function openModule(
  config: Config,
  alias: string,
  locked: LockedModule,
): Promise<{ folder: string; isPackage: boolean; manifest: Manifest }> {
  const folder = await findModuleFolder(config, alias, locked);
  const isPackage = folder !== join(modulesFolder, alias);
  if (isPackage) resolveKitFor(config.modulesPath);
  return { folder, isPackage, manifest: await readManifest(join(folder, 'module.json')) };
}

/** Every module in the folder, locked or not. */
export async function findModules(folder = modulesFolder): Promise<{ folder: string; manifest: Manifest }[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
  const moduleFolders = folders.filter((path) => existsSync(join(path, 'module.json'))).sort();
  return Promise.all(
    moduleFolders.map(async (path) => {
      const manifest = await readManifest(join(path, 'module.json'));
      if (manifest.alias !== basename(path)) {
        throw new Error(`${path}/module.json: alias: The alias must be the name of the folder, ${basename(path)}.`);
      }
      return { folder: path, manifest };
    }),
  );
}

export async function loadModule(folder: string, source: Manifest): Promise<LoadedModule> {
  const { alias, compatibility } = source;
  if (!satisfies(version, compatibility.platform)) {
    throw new Error(
      `the module ${alias} ${source.version} needs platform ${compatibility.platform}, but this is platform ${version}`,
    );
  }
  const file = codeFile(folder, 'module');
  const { module: definition } = await importModule(alias, file);
  if (!definition)
    throw new Error(`${file} does not export module; export the result of defineModule({ … }) under this name`);
  const manifest = completeManifest(source, definition);
  checkModule({ alias, manifest, definition }, await undeclaredCalls(folder, manifest));
  const sql = join(folder, 'migrations');
  const migrations = existsSync(sql) ? await readMigrations(alias, sql) : { owner: alias, migrations: [] };
  return {
    alias,
    folder,
    manifest,
    definition,
    migrations,
    graphql: await readGraphqlFiles(folder, manifest),
    consoleScripts: await readConsoleScripts(folder, definition),
  };
}

/** The error of a file that cannot be loaded names it and the line. */
async function importModule(alias: string, file: string): Promise<{ module?: Module }> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    const at = errorLocation(error) ?? file;
    throw new Error(`the module ${alias} cannot be loaded: ${at}: ${(error as Error).message}`, { cause: error });
  }
}

export function isSystem({ manifest }: Pick<LoadedModule, 'manifest'>): boolean {
  return manifest.system ?? false;
}
