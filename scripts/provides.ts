import { readFile, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Action, type Module, permissionsFor, settingDefinitions } from '@chowk/kit/kernel';
import { findModules } from '../server/src/loader/load-modules.ts';
import { inlineSchema } from '../server/src/schemas/components.ts';

const root = resolve(import.meta.dirname, '..');

/** By path, each `module.json`, or those of the named modules, with `api.provides`, `events` and `settings` as in the code. */
export async function moduleManifests(only: readonly string[] = []): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const { folder } of await findModules()) {
    if (only.length > 0 && !only.includes(basename(folder))) continue;
    const file = join(folder, 'module.json');
    const { module } = (await import(pathToFileURL(join(folder, 'module.ts')).href)) as { module: Module };
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    const provides = providesOf(module);
    const { provides: _, ...api } = manifest.api ?? {};
    if (manifest.api || provides.length > 0) manifest.api = { ...(provides.length > 0 ? { provides } : {}), ...api };
    const { events = {}, listeners = [] } = module;
    const listens = [...new Set(listeners.map(({ event }) => event))];
    if (manifest.events || module.events || module.listeners) manifest.events = { emits: Object.keys(events), listens };
    if (module.settings) manifest.settings = settingDefinitions(module.settings);
    files[relative(root, file)] = `${JSON.stringify(manifest, null, 2)}\n`;
  }
  return files;
}

function providesOf({ actions = {} }: Module): object[] {
  const onBus = Object.entries(actions).filter(([, { bus }]) => bus);
  return onBus.map(([name, action]) => describe(name, action));
}

function describe(name: string, action: Action): object {
  const { summary, description, bus, input, graphql } = action;
  const permissions = permissionsFor(action);
  return {
    name,
    description: description === undefined ? `${summary}.` : `${summary}. ${description}`,
    ...(permissions.length === 0 ? {} : { permission: permissions.length === 1 ? permissions[0] : permissions }),
    rate_limit: bus?.rateLimit,
    ...(graphql === false ? { graphql_expose: false } : {}),
    input: inlineSchema(input ?? { type: 'object' }),
  };
}

if (import.meta.main) {
  const files = await moduleManifests(process.argv.slice(2));
  for (const [path, content] of Object.entries(files)) await writeFile(join(root, path), content);
}
