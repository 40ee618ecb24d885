import {
  buildASTSchema,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  Kind,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
  specifiedScalarTypes,
  type TypeNode,
} from 'graphql';
import { baseSdl, scalars } from './scalars.ts';

/** A source of a module's schema. Earlier sources of a module take precedence over later ones. */
export interface SchemaSource {
  readonly module: string;
  readonly document: DocumentNode;
}

type ObjectNode = ObjectTypeDefinitionNode | ObjectTypeExtensionNode;

interface MergedObject {
  /** The module that defines it; `undefined` if it is only extended. */
  owner: string | undefined;
  node: ObjectNode;
  /** The module of each field. */
  readonly fields: Map<string, { readonly module: string; readonly node: FieldDefinitionNode }>;
}

/** A merged schema. */
export interface Composition {
  readonly schema: GraphQLSchema;
  /** Parts that were left out because they refer to types that do not exist. */
  readonly omitted: readonly string[];
}

const kernel = 'kernel';
const baseDocument = parse(baseSdl, { noLocation: true });
const builtIn = specifiedScalarTypes.map(({ name }) => name);

/**
 * Merges the sources of modules into one schema, without fields that refer to types of missing modules. Throws if two
 * modules define the same type or field. `isValid` skips checks that a larger schema has passed.
 */
export function compose(sources: readonly SchemaSource[], isValid = false): Composition {
  const objects = new Map<string, MergedObject>();
  const others = new Map<string, { module: string; node: DefinitionNode }>();
  for (const { module, document } of [{ module: kernel, document: baseDocument }, ...sources]) {
    for (const definition of document.definitions) addDefinition(objects, others, module, definition);
  }
  const omitted: string[] = [];
  removeUnresolved(objects, others, omitted);
  const definitions = [
    ...[...others.values()].map(({ node }) => node),
    ...[...objects.values()].map(({ node, fields }) => ({
      ...node,
      kind: Kind.OBJECT_TYPE_DEFINITION,
      interfaces: (node.interfaces ?? []).filter(({ name }) => others.has(name.value)),
      fields: [...fields.values()].map((field) => field.node),
    })),
  ] as DefinitionNode[];
  const schema = buildASTSchema({ kind: Kind.DOCUMENT, definitions }, { assumeValid: isValid });
  for (const [name, coercion] of Object.entries(scalars)) Object.assign(schema.getType(name) as object, coercion);
  return { schema, omitted };
}

function addDefinition(
  objects: Map<string, MergedObject>,
  others: Map<string, { module: string; node: DefinitionNode }>,
  module: string,
  node: DefinitionNode,
): void {
  if (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION) {
    addObject(objects, others, module, node);
    return;
  }
  if (!('name' in node) || !node.name) throw new Error(`the GraphQL schema of the module ${module} has a ${node.kind}`);
  const { value: name } = node.name;
  const known = others.get(name)?.module ?? objects.get(name)?.owner;
  if (known !== undefined && known !== module) throw conflict(known, module, `the type ${name}`);
  if (known === undefined) others.set(name, { module, node });
}

function addObject(
  objects: Map<string, MergedObject>,
  others: Map<string, { module: string; node: DefinitionNode }>,
  module: string,
  node: ObjectNode,
): void {
  const { value: type } = node.name;
  const other = others.get(type);
  if (other) throw conflict(other.module, module, `the type ${type}`);
  const merged: MergedObject = objects.get(type) ?? { owner: undefined, node, fields: new Map() };
  objects.set(type, merged);
  const isRoot = ['Query', 'Mutation', 'Subscription'].includes(type);
  if (node.kind === Kind.OBJECT_TYPE_DEFINITION || isRoot) {
    if (merged.owner !== undefined && merged.owner !== module && !isRoot) {
      throw conflict(merged.owner, module, `the type ${type}`);
    }
    if (merged.owner === undefined) Object.assign(merged, { owner: module, node });
  }
  for (const field of node.fields ?? []) {
    const known = merged.fields.get(field.name.value);
    if (known && known.module !== module) throw conflict(known.module, module, `the field ${type}.${field.name.value}`);
    if (!known) merged.fields.set(field.name.value, { module, node: field });
  }
}

function conflict(first: string, second: string, subject: string): Error {
  return new Error(`the modules ${first} and ${second} both define ${subject} in GraphQL; rename one of them`);
}

/** Removes fields and types until everything that is left refers to types that exist. */
function removeUnresolved(
  objects: Map<string, MergedObject>,
  others: Map<string, { module: string; node: DefinitionNode }>,
  omitted: string[],
): void {
  const exists = (name: string) => builtIn.includes(name) || others.has(name) || objects.get(name)?.owner !== undefined;
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const [type, { module, node }] of others) {
      const resolved = withExisting(node, exists);
      if (resolved === node) continue;
      if (resolved) others.set(type, { module, node: resolved });
      else others.delete(type);
      omitted.push(resolved ? `a part of the type ${type}` : `the type ${type}`);
      isDone = false;
    }
    for (const [type, merged] of objects) {
      if (merged.owner === undefined || merged.fields.size === 0) {
        objects.delete(type);
        omitted.push(`the type ${type}`);
        isDone = false;
        continue;
      }
      for (const [field, { module: owner, node }] of merged.fields) {
        const types = [node.type, ...(node.arguments ?? []).map((argument) => argument.type)].map(typeName);
        const missing = types.find((name) => !exists(name));
        if (missing === undefined) continue;
        merged.fields.delete(field);
        omitted.push(`the field ${type}.${field} of the module ${owner}, because there is no type ${missing}`);
        isDone = false;
      }
    }
  }
}

/** An input, interface or union without the parts whose type does not exist; `undefined` if nothing is left. */
function withExisting(node: DefinitionNode, exists: (type: string) => boolean): DefinitionNode | undefined {
  switch (node.kind) {
    case Kind.UNION_TYPE_DEFINITION:
      return keep(node, node.types, 'types', (type) => exists(typeName(type)));
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return keep(node, node.fields, 'fields', ({ type }) => exists(typeName(type)));
    case Kind.INTERFACE_TYPE_DEFINITION:
      return keep(node, node.fields, 'fields', ({ type }) => exists(typeName(type)));
    default:
      return node;
  }
}

function keep<Node extends DefinitionNode, Part>(
  node: Node,
  parts: readonly Part[] = [],
  key: 'types' | 'fields',
  test: (part: Part) => boolean,
): Node | undefined {
  const kept = parts.filter(test);
  if (kept.length === parts.length) return node;
  return kept.length > 0 ? { ...node, [key]: kept } : undefined;
}

function typeName(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : typeName(type.type);
}
