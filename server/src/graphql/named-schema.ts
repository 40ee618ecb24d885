import { readFile } from 'node:fs/promises';
import { sql } from '@chowk/kit/kernel';
import { buildSchema, GraphQLError, type GraphQLSchema } from 'graphql';
import { registerActions } from '../actions/registry.ts';
import type { Kernel } from '../kernel.ts';
import { type LoadedModule, loadModules } from '../loader/load-modules.ts';
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

async function ringSchema({ central, config }: Kernel, ring: string): Promise<GraphQLSchema> {
  const rings = await central.db.rows<{ name: string }>(
    sql`SELECT name FROM module_rings ORDER BY promotion_order, id`,
  );
  const names = rings.map(({ name }) => name);
  if (!names.includes(ring)) {
    throw new Error(
      `there is no ring ${ring}; the rings are ${names.join(', ')}, and the path of a file has a dot or a slash`,
    );
  }
  const moduleLockPath = ring === config.ringName ? config.moduleLockPath : undefined;
  return composeAll(await loadModules({ ...config, ringName: ring, moduleLockPath }));
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
