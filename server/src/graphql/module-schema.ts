import type { Resolver, Resolvers } from '@chowk/kit/kernel';
import { type DocumentNode, type GraphQLError, Kind, parse } from 'graphql';
import type { RegisteredAction } from '../actions/registry.ts';
import type { LoadedModule } from '../loader/load-modules.ts';
import { type DerivedField, deriveJsonFields, deriveTypedSchema, type EventField } from './derived-schema.ts';
import type { ObjectReference } from './type-writer.ts';

/** What a module adds to the schema, prepared once for all compositions. */
export interface ModuleSchema {
  readonly module: string;
  readonly version: string;
  /** In the order of their precedence. */
  readonly documents: readonly DocumentNode[];
  /** The module's own resolvers, by `Type.field`. */
  readonly resolvers: ReadonlyMap<string, Resolver>;
  readonly derivedFields: readonly DerivedField[];
  readonly eventFields: readonly EventField[];
  readonly references: ReadonlyMap<string, ObjectReference>;
  readonly types: ReadonlyMap<string, ReadonlySet<string>>;
  readonly amounts: ReadonlyMap<string, string>;
}

type Source = Pick<LoadedModule, 'alias' | 'manifest' | 'graphql'> & Partial<Pick<LoadedModule, 'definition'>>;

/** The module's SDL file, its providers, the typed fields of its actions and events, and the JSON fields of its bus operations. */
export function readModuleSchema(
  { alias, manifest, graphql, definition }: Source,
  actions: readonly RegisteredAction[],
): ModuleSchema {
  const own = actions.filter(({ module }) => module === alias);
  const typed = deriveTypedSchema(own, definition?.events);
  const json = manifest.graphql?.auto_resolve === false ? { sdl: '', fields: [] } : deriveJsonFields(own);
  const written = (graphql?.sdl ?? []).map((text) => parseSdl(alias, text));
  const derived = [typed.sdl, json.sdl].filter((text) => text.trim() !== '').map((text) => parseSdl(alias, text));
  const documents = [...written, ...derived];
  const subscription = written.flatMap(fieldsIn).find((path) => path.startsWith('Subscription.'));
  if (subscription !== undefined) {
    throw new Error(`the GraphQL schema of the module ${alias} has ${subscription}; declare it on an event instead`);
  }
  // If a field has two resolvers, the map keeps the last one.
  const resolvers = new Map((graphql?.resolvers ?? []).toReversed().flatMap(resolversIn));
  const defined = new Set(documents.flatMap(fieldsIn));
  const unknown = [...resolvers.keys()].find((path) => !defined.has(path));
  if (unknown !== undefined) {
    throw new Error(`the module ${alias} has a GraphQL resolver for ${unknown}, which is not in its schema`);
  }
  return {
    module: alias,
    version: manifest.version,
    documents,
    resolvers,
    derivedFields: [...typed.fields, ...json.fields],
    eventFields: typed.eventFields,
    references: typed.references,
    types: typed.types,
    amounts: typed.amounts,
  };
}

function resolversIn(table: Resolvers): [string, Resolver][] {
  return Object.entries(table).flatMap(([type, fields]) =>
    Object.entries(fields).map(([field, resolver]): [string, Resolver] => [`${type}.${field}`, resolver]),
  );
}

/** The names of its queries, mutations and subscriptions. */
export function rootFields({ documents }: ModuleSchema): string[] {
  const names = documents
    .flatMap(fieldsIn)
    .flatMap((path) => /^(?:Query|Mutation|Subscription)\.(.*)$/.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

/** The fields of object types that the document defines, as `Type.field`. */
function fieldsIn({ definitions }: DocumentNode): string[] {
  return definitions.flatMap((node) =>
    node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION
      ? (node.fields ?? []).map((field) => `${node.name.value}.${field.name.value}`)
      : [],
  );
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
