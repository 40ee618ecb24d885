import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Resolvers } from '@chowk/kit';

/** A module's part of the GraphQL schema. */
export interface GraphqlFiles {
  readonly sdl: string;
  readonly resolvers: Resolvers;
}

/** Reads `graphql/schema.graphql` and `graphql/resolvers.ts`: both or neither. */
export async function readGraphqlFiles(folder: string): Promise<GraphqlFiles | undefined> {
  const schema = join(folder, 'graphql/schema.graphql');
  const code = join(folder, 'graphql/resolvers.ts');
  if (!existsSync(schema) && !existsSync(code)) return undefined;
  if (!existsSync(schema)) throw new Error(`${code} needs a schema.graphql in the same folder`);
  if (!existsSync(code)) throw new Error(`${schema} needs a resolvers.ts in the same folder`);
  const { resolvers } = (await import(pathToFileURL(code).href)) as { resolvers?: Resolvers };
  if (!resolvers) throw new Error(`${code} does not export resolvers`);
  return { sdl: await readFile(schema, 'utf8'), resolvers };
}
