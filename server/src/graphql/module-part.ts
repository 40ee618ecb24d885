import type { Resolver } from '@chowk/kit';
import { type DocumentNode, type GraphQLError, parse } from 'graphql';
import type { RegisteredAction } from '../actions/registry.ts';
import type { LoadedModule } from '../loader/load-modules.ts';
import { type DerivedField, deriveJsonFields, deriveTypedSchema } from './derived-schema.ts';
import type { ObjectReference } from './type-writer.ts';

/** What a module adds to the schema, prepared once for all compositions. */
export interface ModulePart {
  readonly module: string;
  readonly version: string;
  /** In the order of their precedence. */
  readonly documents: readonly DocumentNode[];
  /** The module's own resolvers, by `Type.field`. */
  readonly resolvers: ReadonlyMap<string, Resolver>;
  readonly derivedFields: readonly DerivedField[];
  readonly references: ReadonlyMap<string, ObjectReference>;
  readonly types: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The module's SDL file, its providers, the typed fields of its actions and the JSON fields of its bus operations. */
export function modulePart(
  { alias, manifest, graphql }: Pick<LoadedModule, 'alias' | 'manifest' | 'graphql'>,
  actions: readonly RegisteredAction[],
): ModulePart {
  const own = actions.filter(({ module }) => module === alias);
  const typed = deriveTypedSchema(own);
  const json = manifest.graphql?.auto_resolve === false ? { sdl: '', fields: [] } : deriveJsonFields(own);
  const texts = [...(graphql?.sdl ?? []), typed.sdl, json.sdl].filter((text) => text.trim() !== '');
  return {
    module: alias,
    version: manifest.version,
    documents: texts.map((text) => parseSdl(alias, text)),
    resolvers: new Map(
      (graphql?.resolvers ?? []).flatMap((table) =>
        Object.entries(table).flatMap(([type, fields]) =>
          Object.entries(fields).map(([field, resolver]) => [`${type}.${field}`, resolver] as const),
        ),
      ),
    ),
    derivedFields: [...typed.fields, ...json.fields],
    references: typed.references,
    types: typed.types,
  };
}

function parseSdl(module: string, text: string): DocumentNode {
  try {
    return parse(text, { noLocation: true });
  } catch (error) {
    const { message, locations } = error as GraphQLError;
    const [{ line = 0 } = {}] = locations ?? [];
    throw new Error(`the GraphQL schema of the module ${module} is not valid in line ${line}: ${message}`);
  }
}
