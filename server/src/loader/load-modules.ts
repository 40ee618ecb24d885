import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Module } from '@chowk/kit';
import { satisfies } from 'semver';
import type { Config } from '../config.ts';
import { type MigrationSource, readMigrations } from '../db/migrations.ts';
import { version } from '../version.ts';
import { type GraphqlFiles, readGraphqlFiles } from './graphql-files.ts';
import { folderIntegrity, readLockFile } from './lock-file.ts';
import { lockPath, repository } from './lock-path.ts';
import { type Manifest, readManifest } from './manifest.ts';

export interface LoadedModule {
  readonly alias: string;
  readonly folder: string;
  readonly manifest: Manifest;
  readonly parts: Module;
  readonly migrations: MigrationSource;
  readonly graphql?: GraphqlFiles | undefined;
}

export const modulesFolder = join(repository, 'modules');

/** Loads what the ring's lock file names, and nothing else. In production a module that differs from it is refused. */
export async function loadModules(config: Config): Promise<LoadedModule[]> {
  const lock = await readLockFile(resolve(repository, lockPath(config)));
  const modules: LoadedModule[] = [];
  for (const [alias, { version: wanted, integrity }] of Object.entries(lock.modules)) {
    const folder = join(modulesFolder, alias);
    const manifest = await readManifest(join(folder, 'module.json'));
    if (manifest.version !== wanted) {
      throw new Error(`the lock file wants ${alias} ${wanted}, but ${folder} is ${manifest.version}`);
    }
    if (config.appEnv === 'production' && (await folderIntegrity(folder)) !== integrity) {
      throw new Error(`${folder} is not what the lock file pins; 'chowkd module:verify' tells more`);
    }
    modules.push(await loadModule(folder, manifest));
  }
  checkTogether(modules);
  return modules;
}

/** Every module in the folder, whether or not a lock file names it. */
export async function findModules(folder = modulesFolder): Promise<{ folder: string; manifest: Manifest }[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
  const found = folders.filter((path) => existsSync(join(path, 'module.json'))).sort();
  return Promise.all(
    found.map(async (path) => ({ folder: path, manifest: await readManifest(join(path, 'module.json')) })),
  );
}

export async function loadModule(folder: string, manifest: Manifest): Promise<LoadedModule> {
  const { alias, compatibility } = manifest;
  if (!satisfies(version, compatibility.platform)) {
    throw new Error(
      `the module ${alias} ${manifest.version} needs platform ${compatibility.platform}; this is ${version}`,
    );
  }
  const { module: parts } = (await import(pathToFileURL(join(folder, 'module.ts')).href)) as { module?: Module };
  if (!parts) throw new Error(`${join(folder, 'module.ts')} exports no module`);
  checkAgainstManifest(manifest, parts, join(folder, 'module.json'));
  const sql = join(folder, 'migrations');
  const migrations = existsSync(sql) ? await readMigrations(alias, sql) : { owner: alias, migrations: [] };
  return { alias, folder, manifest, parts, migrations, graphql: await readGraphqlFiles(folder) };
}

/** The manifest is what others rely on: it says neither more nor less than what the code does. */
function checkAgainstManifest(manifest: Manifest, parts: Module, file: string): void {
  const { alias, events } = manifest;
  const same = (field: string, declared: readonly string[], coded: readonly string[]) => {
    const missing = declared.find((name) => !coded.includes(name));
    if (missing) throw new Error(`${file}: ${field} names ${missing}, but module.ts has none`);
    const undeclared = coded.find((name) => !declared.includes(name));
    if (undeclared) throw new Error(`${file}: ${field} lacks ${undeclared}, which module.ts has`);
  };
  const hasSystemJob = Object.values(parts.jobs ?? {}).some(({ system }) => system);
  if (!manifest.system && (parts.commands || parts.identity || hasSystemJob)) {
    throw new Error(`${file}: only a system module has commands, system jobs or an identity`);
  }

  same(
    'settings',
    (manifest.settings ?? []).map(({ key }) => key),
    Object.keys(parts.settings ?? {}),
  );
  same('events.listens', events?.listens ?? [], [...new Set((parts.listeners ?? []).map(({ event }) => event))]);
  for (const name of [
    ...(manifest.system ? [] : Object.keys(parts.actions ?? {})),
    ...Object.keys(parts.jobs ?? {}),
    ...(manifest.settings ?? []).map(({ key }) => key),
  ]) {
    if (!name.startsWith(`${alias}.`)) throw new Error(`${file}: ${name} must begin with ${alias}.`);
  }
}

/** What no module can see by itself: one counting on what nobody provides. */
function checkTogether(modules: readonly LoadedModule[]): void {
  const actions = modules.flatMap(({ parts }) => Object.entries(parts.actions ?? {}));
  const provided = new Set(actions.filter(([, { bus }]) => bus).map(([name]) => name));
  for (const { alias, manifest } of modules) {
    const missing = manifest.api?.consumes?.find((name) => !provided.has(name));
    if (missing) throw new Error(`the module ${alias} consumes ${missing}, which no module of this ring provides`);
  }
}
