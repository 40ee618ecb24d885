import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Resolvers, SchemaProvider } from '@chowk/kit/kernel';
import type { Manifest } from './manifest.ts';
import { codeFile } from './module-folders.ts';

/** A module's own part of the GraphQL schema: its files first, then its providers. */
export interface GraphqlFiles {
  readonly sdl: readonly string[];
  readonly resolvers: readonly Resolvers[];
}

/** Reads `graphql/schema.graphql` and `graphql/resolvers.ts`, both or neither, and the providers that `module.json` names. */
export async function readGraphqlFiles(folder: string, manifest: Manifest): Promise<GraphqlFiles | undefined> {
  const files = await readFiles(folder);
  const providers = await readProviders(folder, manifest);
  if (!files && providers.length === 0) return undefined;
  return {
    sdl: [...(files ? [files.sdl] : []), ...providers.flatMap((provider) => provider.sdl())],
    resolvers: [...(files ? [files.resolvers] : []), ...providers.flatMap((provider) => provider.resolvers())],
  };
}

async function readFiles(folder: string): Promise<{ sdl: string; resolvers: Resolvers } | undefined> {
  const schema = join(folder, 'graphql/schema.graphql');
  const code = codeFile(folder, 'graphql/resolvers');
  if (!existsSync(schema) && !existsSync(code)) return undefined;
  if (!existsSync(schema)) throw new Error(`${code} needs a schema.graphql in the same folder`);
  if (!existsSync(code)) throw new Error(`${schema} needs a resolvers.ts in the same folder`);
  const { resolvers } = (await import(pathToFileURL(code).href)) as { resolvers?: Resolvers };
  if (!resolvers) throw new Error(`${code} does not export resolvers`);
  return { sdl: await readFile(schema, 'utf8'), resolvers };
}

async function readProviders(folder: string, { alias, graphql }: Manifest): Promise<SchemaProvider[]> {
  const names = graphql?.providers ?? [];
  if (names.length === 0) return [];
  const code = codeFile(folder, 'graphql/providers');
  if (!existsSync(code)) throw new Error(`${folder}/module.json names graphql.providers, but there is no ${code}`);
  const exported = (await import(pathToFileURL(code).href)) as Record<string, (new () => SchemaProvider) | undefined>;
  return names.map((name) => {
    const Provider = exported[name];
    if (!Provider) throw new Error(`${code} does not export ${name}, which module.json names in graphql.providers`);
    const provider = new Provider();
    const owner = provider.moduleAlias();
    if (owner !== alias) throw new Error(`${code}: moduleAlias() of ${name} is ${owner}, but the module is ${alias}`);
    return provider;
  });
}
