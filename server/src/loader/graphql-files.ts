import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Resolvers } from '@chowk/kit';

/** What a module adds to the schema. The gateway puts the modules' parts together and says which of them collide. */
export interface GraphqlFiles {
  readonly sdl: string;
  readonly resolvers: Resolvers;
}

/** Reads `graphql/schema.graphql` and `graphql/resolvers.ts`: both or neither. */
export async function readGraphqlFiles(folder: string): Promise<GraphqlFiles | undefined> {
  const schema = join(folder, 'graphql/schema.graphql');
  const code = join(folder, 'graphql/resolvers.ts');
  if (!existsSync(schema) && !existsSync(code)) return undefined;
  if (!existsSync(schema)) throw new Error(`${code} has no schema.graphql beside it`);
  if (!existsSync(code)) throw new Error(`${schema} has no resolvers.ts beside it`);
  const { resolvers } = (await import(pathToFileURL(code).href)) as { resolvers?: Resolvers };
  if (!resolvers) throw new Error(`${code} exports no resolvers`);
  return { sdl: await readFile(schema, 'utf8'), resolvers };
}
