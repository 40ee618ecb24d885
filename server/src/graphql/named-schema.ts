import { readFile } from 'node:fs/promises';
import { buildSchema, GraphQLError, type GraphQLSchema } from 'graphql';
import { registerActions } from '../actions/registry.ts';
import type { Kernel } from '../kernel.ts';
import { type LoadedModule, loadLockedModules } from '../loader/load-modules.ts';
import { readRingLock } from '../loader/ring-lock.ts';
import { listRings } from '../tenancy/rings.ts';
import { compose } from './compose.ts';
import { readModuleSchema } from './module-schema.ts';

/** As in `module_rings`. A path has a dot or a slash. */
export function isRingName(name: string): boolean {
  return /^[a-z0-9][a-z0-9-]*$/.test(name);
}

/** The schema of the modules in a ring's lock file, or of an SDL file. */
export function namedSchema(kernel: Kernel, name: string): Promise<GraphQLSchema> {
  return isRingName(name) ? ringSchema(kernel, name) : fileSchema(name);
}

async function ringSchema({ central, config }: Kernel, name: string): Promise<GraphQLSchema> {
  const rings = await listRings(central.db);
  const ring = rings.find((one) => one.name === name);
  if (!ring) {
    const names = rings.map((one) => one.name).join(', ');
    throw new Error(`there is no ring ${name}; the rings are ${names}, and the path of a file has a dot or a slash`);
  }
  const { lock } = await readRingLock(config, ring);
  return composeAll(await loadLockedModules(config, lock));
}

/** The schema of a tenant that has all of these modules. */
export function composeAll(modules: readonly LoadedModule[]): GraphQLSchema {
  const sources = modules.flatMap((module) => {
    const { alias, manifest, definition } = module;
    const actions = registerActions(definition.actions ?? {}, { module: alias, tag: manifest.name });
    return readModuleSchema(module, actions).documents.map((document) => ({ module: alias, document }));
  });
  return compose(sources).schema;
}

async function fileSchema(path: string): Promise<GraphQLSchema> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the schema ${path} cannot be read (${error.code})`);
  });
  try {
    return buildSchema(text);
  } catch (error) {
    const { message } = error as Error;
    const line = error instanceof GraphQLError ? ` in line ${error.locations?.[0]?.line}` : '';
    throw new Error(`the schema ${path} is not valid${line}: ${message}`);
  }
}
