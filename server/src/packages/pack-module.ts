import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { readConsoleScripts } from '../loader/bundle-console.ts';
import type { LoadedModule } from '../loader/load-modules.ts';
import { packedManifest } from '../loader/packed-manifest.ts';
import { ArchiveWriter } from '../tenancy/archive-writer.ts';
import { bundleModule } from './bundle-module.ts';
import { describeLicences } from './licences.ts';
import { packageFile } from './package-name.ts';
import { isPackable } from './unpack.ts';

/**
 * Packs a module into a ZIP file and returns its path. The same sources always give the same bytes. `modules` are those whose
 * operations it may consume.
 */
export async function packModule(
  module: LoadedModule,
  modules: readonly LoadedModule[],
  outFolder: string,
): Promise<string> {
  const files = await packageContents(module, modules);
  await mkdir(outFolder, { recursive: true });
  const path = join(outFolder, packageFile(module.manifest));
  const draft = `${path}.${process.pid}`;
  const writer = await ArchiveWriter.open(draft);
  try {
    for (const name of [...files.keys()].sort()) await writer.add(name, [Buffer.from(files.get(name) ?? '')]);
    await writer.finish();
  } catch (error) {
    await writer.discard();
    throw error;
  }
  await chmod(draft, 0o644);
  await rename(draft, path);
  return path;
}

async function packageContents(
  module: LoadedModule,
  modules: readonly LoadedModule[],
): Promise<Map<string, string | Uint8Array>> {
  const { folder } = module;
  const bundle = await bundleModule(folder);
  const unpackable = [...bundle.files.keys()].find((name) => !isPackable(name));
  if (unpackable !== undefined) {
    throw new Error(
      `${unpackable} cannot be part of a package; docs/modules-lifecycle.md lists the types of files that can`,
    );
  }
  const scripts = await readConsoleScripts(folder, module.definition);
  const bundled = [...scripts.values()].flatMap(({ dependencies }) => dependencies);
  const licences = await describeLicences([...bundle.dependencies, ...bundled]);
  const files = new Map<string, string | Uint8Array>(bundle.files);
  files.set('module.json', `${JSON.stringify(packedManifest(module, modules), null, 2)}\n`);
  for (const [name, { code }] of scripts) files.set(`console/${name}.js`, code);
  if (licences !== undefined) files.set('LICENSES.txt', licences);
  for (const name of ['README.md', 'graphql/schema.graphql', ...(await listMigrations(folder))]) {
    if (existsSync(join(folder, name))) files.set(name, await readFile(join(folder, name)));
  }
  return files;
}

async function listMigrations(folder: string): Promise<string[]> {
  const path = join(folder, 'migrations');
  if (!existsSync(path)) return [];
  return (await readdir(path)).filter((name) => name.endsWith('.sql')).map((name) => `migrations/${name}`);
}
