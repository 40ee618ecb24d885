import type { EventDefinition } from '@chowk/kit/kernel';
import { pathParameters, type RegisteredAction } from '../actions/registry.ts';
import { responseSerializer } from '../actions/response-serializer.ts';
import { block, describe, type ObjectReference, pascalCase, type Schema, TypeWriter } from './type-writer.ts';

/** How a field's value follows from the action's output. */
export type ResultShape =
  | { readonly kind: 'value' }
  /** Any JSON, without fields that the action does not declare. */
  | { readonly kind: 'json'; readonly serialize: (value: unknown) => string }
  /** A page, whose rows are in the property. */
  | { readonly kind: 'connection'; readonly key: string }
  /** The only property of an object without a name. */
  | { readonly kind: 'property'; readonly key: string }
  /** The action has no output. */
  | { readonly kind: 'done' };

/** A root field that calls an action. */
export interface DerivedField {
  readonly root: 'Query' | 'Mutation';
  readonly name: string;
  readonly action: RegisteredAction;
  readonly shape: ResultShape;
  /** The value, if it is an object or a list of objects. */
  readonly object: ObjectReference | undefined;
}

/** A field of `Subscription` that delivers an event. */
export interface EventField {
  readonly name: string;
  readonly event: string;
  readonly definition: EventDefinition;
}

/** The part of the GraphQL schema that follows from a module's actions and events. */
export interface DerivedSchema {
  readonly sdl: string;
  readonly fields: readonly DerivedField[];
  readonly eventFields: readonly EventField[];
  /** Objects in fields, by `Type.field`: they may lack fields of their type. */
  readonly references: ReadonlyMap<string, ObjectReference>;
  /** The fields of each object type. */
  readonly types: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Derives typed fields of the actions and events that have a GraphQL name, and their types. */
export function deriveTypedSchema(
  actions: readonly RegisteredAction[],
  events: Readonly<Record<string, EventDefinition>> = {},
): DerivedSchema {
  const typed = actions.filter(({ graphql }) => typeof graphql === 'string');
  const eventFields = Object.entries(events).flatMap(([event, definition]): EventField[] =>
    definition.graphql === undefined ? [] : [{ name: definition.graphql, event, definition }],
  );
  const outputs = [...typed.map(({ output }) => output), ...eventFields.map(({ definition }) => definition.payload)];
  const writer = new TypeWriter(outputs.filter((output) => output !== undefined) as Schema[]);
  const lines = { Query: [] as string[], Mutation: [] as string[], Subscription: [] as string[] };
  const connections = new Map<string, string>();
  const fields = typed.map((action): DerivedField => {
    const name = action.graphql as string;
    const root = action.isReadOnly ? 'Query' : 'Mutation';
    const { sdl, shape, object } = writeResult(writer, action, name, connections);
    lines[root].push(
      `${describe(describeAction(action))}${name}${writeArguments(writer, action, name, shape)}: ${sdl}`,
    );
    return { root, name, action, shape, object };
  });
  for (const { name, definition } of eventFields) {
    const { sdl } = writer.output(definition.payload as Schema, `${pascalCase(name)}Event`);
    lines.Subscription.push(`${describe(`${definition.summary}.`)}${name}: ${sdl}`);
  }
  const roots = Object.entries(lines).filter(([, own]) => own.length > 0);
  return {
    sdl: [...roots.map(([root, own]) => block(`extend type ${root}`, own)), writer.sdl, ...connections.values()].join(
      '\n\n',
    ),
    fields,
    eventFields,
    references: writer.references,
    types: new Map(writer.types.map((type) => [type, writer.objectFields(type) as ReadonlySet<string>])),
  };
}

/** The fields of all bus operations, with JSON in and out. */
export function deriveJsonFields(actions: readonly RegisteredAction[]): Pick<DerivedSchema, 'sdl' | 'fields'> {
  const fields = actions
    .filter(({ bus, graphql }) => bus && graphql !== false)
    .map((action): DerivedField => {
      const root = isQuery(action.name) ? 'Query' : 'Mutation';
      const serialize = action.output ? responseSerializer(action.output) : JSON.stringify;
      const name = action.name.replaceAll(/[.-]/g, '_');
      return { root, name, action, shape: { kind: 'json', serialize }, object: undefined };
    });
  const byRoot = Map.groupBy(fields, ({ root }) => root);
  const sdl = [...byRoot].map(([root, own]) =>
    block(
      `extend type ${root}`,
      own.map(({ name, action }) => `${describe(describeAction(action))}${name}(input: JSON): JSON`),
    ),
  );
  return { sdl: sdl.join('\n\n'), fields };
}

function isQuery(operation: string): boolean {
  return /\.(get|list|find|search|count|show|fetch)[^.]*$/.test(operation);
}

/** As in `api.provides`. */
function describeAction({ summary, description }: RegisteredAction): string {
  return description === undefined ? `${summary}.` : `${summary}. ${description}`;
}

/** A filter named `after` is for REST only, because connections have an argument of this name. */
const pagingFields = ['page', 'per_page', 'cursor', 'limit', 'after'];

/** A query takes its input as arguments; a mutation takes the parameters of the path, and the rest as `input`. */
function writeArguments(writer: TypeWriter, action: RegisteredAction, name: string, shape: ResultShape): string {
  const schema = (action.input ?? { properties: {} }) as Schema;
  const owner = pascalCase(name);
  if (shape.kind === 'connection') {
    const page = ['first: Int = 20', 'after: String'];
    return enclose([...page, ...writer.inputFields(schema, owner, pagingFields)]);
  }
  if (action.isReadOnly) return enclose(writer.inputFields(schema, owner));
  const inPath = pathParameters(action.path);
  const inBody = Object.keys(schema.properties ?? {}).filter((field) => !inPath.includes(field));
  const path = writer.inputFields(schema, owner, inBody);
  if (inBody.length === 0) return enclose(schema.additionalProperties === true ? [...path, 'input: JSON!'] : path);
  const { sdl } = writer.input(schema, `${owner}Input`, inPath);
  const isRequired = inBody.some((field) => isRequiredIn(schema, field));
  return enclose([...path, `input: ${sdl}${isRequired ? '!' : ''}`]);
}

function isRequiredIn({ properties = {}, required = [] }: Schema, field: string): boolean {
  return required.includes(field) && properties[field]?.default === undefined;
}

function enclose(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `(\n    ${lines.map((line) => line.replaceAll('\n', '\n  ')).join('\n    ')}\n  )`;
}

interface Result {
  readonly sdl: string;
  readonly shape: ResultShape;
  readonly object?: ObjectReference | undefined;
}

/** All root fields are nullable, so that one that fails does not take the others with it. */
function writeResult(
  writer: TypeWriter,
  { output, name: actionName }: RegisteredAction,
  name: string,
  connections: Map<string, string>,
): Result {
  if (!output) return { sdl: 'Boolean', shape: { kind: 'done' } };
  const schema = output as Schema;
  const properties = Object.entries(schema.properties ?? {});
  const [key, value] = properties.find(([field]) => field !== 'pagination') ?? [];
  if (schema.properties?.pagination && key !== undefined && value?.items) {
    const { object } = writer.output(value, pascalCase(name));
    if (!object) throw new Error(`the rows of ${actionName} need a named schema for its GraphQL field`);
    connections.set(object.type, connectionTypes(object.type));
    writer.refer(`${object.type}Connection.nodes`, object);
    writer.refer(`${object.type}Edge.node`, { ...object, isList: false });
    return { sdl: `${object.type}Connection`, shape: { kind: 'connection', key } };
  }
  if (schema.title === undefined && properties.length === 1 && key !== undefined && value) {
    const { sdl, object } = writer.output(value, pascalCase(name));
    return { sdl, shape: { kind: 'property', key }, object };
  }
  const { sdl, object } = writer.output(schema, `${pascalCase(name)}Payload`);
  return { sdl, shape: { kind: 'value' }, object };
}

function connectionTypes(type: string): string {
  return [
    block(`type ${type}Connection`, [
      `edges: [${type}Edge!]!`,
      `nodes: [${type}!]!`,
      'pageInfo: PageInfo!',
      `"The number of all records, on all pages."\n  totalCount: Int!`,
    ]),
    block(`type ${type}Edge`, [`node: ${type}!`, 'cursor: String!']),
  ].join('\n\n');
}
