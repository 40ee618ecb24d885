import type { EventDefinition } from '@chowk/kit/kernel';
import { pathParameters, type RegisteredAction } from '../actions/registry.ts';
import { takesIfMatch } from '../actions/response-schema.ts';
import { responseSerializer } from '../actions/response-serializer.ts';
import {
  block,
  deprecate,
  describe,
  type ObjectReference,
  pascalCase,
  type Schema,
  TypeWriter,
} from './type-writer.ts';

/** How a field's value follows from the action's output. */
export type ResultShape =
  | { readonly kind: 'value' }
  /** Any JSON, without fields that the action does not declare. */
  | { readonly kind: 'json'; readonly serialize: (value: unknown) => string }
  /** A page, whose rows are in the property. */
  | { readonly kind: 'connection'; readonly key: string }
  /** The only property of an object without a name. */
  | { readonly kind: 'property'; readonly key: string }
  /** The action deletes the record with this argument as its id. */
  | { readonly kind: 'deleted'; readonly argument: string }
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
  /** Errors of the input are part of the value. */
  readonly hasUserErrors?: true;
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
  /** The fields of amounts by the fields that add the currency, as `Type.field`. */
  readonly amounts: ReadonlyMap<string, string>;
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
  const payloads: string[] = [];
  const fields = typed.flatMap((action): DerivedField[] => {
    const name = action.graphql as string;
    const root = action.isReadOnly ? 'Query' : 'Mutation';
    const { sdl, shape, object } = writeResult(writer, action, name, connections);
    const [, record] = isById(action) ? (/^Get (an? .+)$/.exec(action.summary) ?? []) : [];
    if (object && record !== undefined) writer.describeType(object.type, `A${record.slice(1)}.`);
    const args = writeArguments(writer, action, name, shape);
    lines[root].push(`${describe(describeAction(action))}${name}${args}: ${sdl}`);
    const field = { root, name, action, shape, object } as const;
    if (root === 'Query') return [field];
    const tried = `try${pascalCase(name)}`;
    const payload = `${pascalCase(tried)}Payload`;
    lines[root].push(`${describe(`As \`${name}\`, with errors of the input as data.`)}${tried}${args}: ${payload}`);
    payloads.push(
      block(`${describe(`The result of \`${tried}\`, or what is wrong with its input.`, '')}type ${payload}`, [
        `"What \`${name}\` returns; null if there are errors."\n  result: ${sdl}`,
        '"What is wrong with the input; empty if nothing is."\n  user_errors: [UserError!]!',
      ]),
    );
    if (object) writer.refer(`${payload}.result`, object);
    return [field, { ...field, name: tried, hasUserErrors: true }];
  });
  for (const { name, definition } of eventFields) {
    const { sdl } = writer.output(definition.payload as Schema, `${pascalCase(name)}Event`);
    writer.describeType(sdl, `${definition.summary}.`);
    const subject = definition.subject ? [`${describe(subjectText)}id: ID`] : [];
    lines.Subscription.push(`${describe(`${definition.summary}.`)}${name}${enclose(subject)}: ${sdl}`);
  }
  const roots = Object.entries(lines).filter(([, own]) => own.length > 0);
  return {
    sdl: [
      ...roots.map(([root, own]) => block(`extend type ${root}`, own)),
      writer.sdl,
      ...connections.values(),
      ...payloads,
    ].join('\n\n'),
    fields,
    eventFields,
    references: writer.references,
    types: new Map(writer.types.map((type) => [type, writer.objectFields(type) as ReadonlySet<string>])),
    amounts: writer.amounts,
  };
}

const subjectText = 'Only events about the record with this id.';

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
      own.map(({ name, action }) => {
        const typed = typeof action.graphql === 'string' ? ` ${deprecate(`Use \`${action.graphql}\`.`)}` : '';
        return `${describe(describeAction(action))}${name}(input: JSON): JSON${typed}`;
      }),
    ),
  );
  return { sdl: sdl.join('\n\n'), fields };
}

function isQuery(operation: string): boolean {
  return /\.(get|list|find|search|count|show|fetch)[^.]*$/.test(operation);
}

/** Whether the only input is the id of a record. */
export function isById({ input, isReadOnly }: RegisteredAction): boolean {
  const names = Object.keys(input?.properties ?? {});
  return isReadOnly && names.length === 1 && names[0] === 'id';
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
  if (shape.kind === 'connection') return enclose(connectionArguments(writer, schema, owner));
  if (action.isReadOnly) return enclose(writer.inputFields(schema, owner));
  const inPath = pathParameters(action.path);
  const inBody = Object.keys(schema.properties ?? {}).filter((field) => !inPath.includes(field));
  const path = writer.inputFields(schema, owner, inBody);
  const version = takesIfMatch(action) ? [`${describe(ifMatchText)}ifMatch: String`] : [];
  if (inBody.length === 0) {
    const open = schema.additionalProperties === true ? ['input: JSON!'] : [];
    return enclose([...path, ...open, ...version]);
  }
  const { sdl } = writer.input(schema, `${owner}Input`, inPath);
  const isRequired = inBody.some((field) => isRequiredIn(schema, field));
  return enclose([...path, `input: ${sdl}${isRequired ? '!' : ''}`, ...version]);
}

const ifMatchText =
  'The `updated_at` of the record as you read it, or the `ETag` of REST: if the record has changed since, nothing is changed.';

function connectionArguments(writer: TypeWriter, schema: Schema, owner: string): string[] {
  const names = Object.keys(schema.properties ?? {});
  const isFilter = (name: string) =>
    !schema.required?.includes(name) && schema.properties?.[name]?.default === undefined;
  const filters = names.filter((name) => isFilter(name) && !pagingFields.includes(name));
  const others = names.filter((name) => !filters.includes(name));
  // Written first: types that both use keep the names that they had before there were filters.
  const deprecated = writer.inputFields(schema, owner, others, 'Use `filter`.');
  const filter = writer.filter(schema, `${owner}Filter`, others);
  return [
    'first: Int = 20',
    'after: String',
    // A list that cannot be read by page numbers cannot be read backwards either.
    ...(names.includes('page') ? [`${describe(lastText)}last: Int`, 'before: String'] : []),
    ...writer.inputFields(schema, owner, [...pagingFields, ...filters]),
    ...(filter === undefined ? [] : [`filter: ${filter}`]),
    ...deprecated,
  ];
}

const lastText = 'The last records of the list, or those before `before`, instead of `first`.';

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
  action: RegisteredAction,
  name: string,
  connections: Map<string, string>,
): Result {
  const { output, name: actionName } = action;
  if (!output) return writeDone(writer, action, name);
  const schema = output as Schema;
  const properties = Object.entries(schema.properties ?? {});
  const [key, value] = properties.find(([field]) => field !== 'pagination') ?? [];
  if (schema.properties?.pagination && key !== undefined && value?.items) {
    const { object } = writer.output(value, pascalCase(name));
    if (!object) throw new Error(`the rows of ${actionName} need a named schema for its GraphQL field`);
    connections.set(object.type, connectionTypes(object.type, isCounted(action)));
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

/** A deletion returns the id of what it deleted. */
function writeDone(writer: TypeWriter, { method, path, input }: RegisteredAction, name: string): Result {
  const argument = pathParameters(path).at(-1);
  const schema = argument === undefined ? undefined : (input as Schema | undefined)?.properties?.[argument];
  if (method !== 'DELETE' || argument === undefined || !schema) return { sdl: 'Boolean', shape: { kind: 'done' } };
  const { sdl } = writer.argument(argument, schema, pascalCase(name));
  return { sdl, shape: { kind: 'deleted', argument } };
}

/** A page by its number has the number of all records. */
function isCounted({ input }: RegisteredAction): boolean {
  return Object.hasOwn((input as Schema | undefined)?.properties ?? {}, 'page');
}

function connectionTypes(type: string, isCounted: boolean): string {
  return [
    block(`"A page of a list of ${type}."\ntype ${type}Connection`, [
      `"The records, each with its cursor."\n  edges: [${type}Edge!]!`,
      `"The records of the page."\n  nodes: [${type}!]!`,
      `"Where this page is in the list."\n  pageInfo: PageInfo!`,
      ...(isCounted ? [`"The number of all records, on all pages."\n  totalCount: Int!`] : []),
    ]),
    block(`"A record of a page, with its cursor."\ntype ${type}Edge`, [
      `"The record."\n  node: ${type}!`,
      `"The place of the record, for \`after\` and \`before\`."\n  cursor: String!`,
    ]),
  ].join('\n\n');
}
