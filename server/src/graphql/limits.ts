import type { GraphqlError } from '@chowk/kit/kernel';
import {
  BREAK,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  type NameNode,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { graphqlError } from './graphql-refusal.ts';
import { countIntrospection, introspectionFields, introspectionLimit } from './introspection-cost.ts';

export interface Limits {
  readonly depth: number;
  readonly complexity: number;
  readonly aliases: number;
}

/** What selections cost with their fragments inlined. `@skip` and `@include` make no difference. */
interface Cost {
  depth: number;
  complexity: number;
  aliases: number;
  /** The number of fields that can call actions. */
  calls: number;
  /** Fields of introspection, which have neither depth nor complexity. */
  introspection: number;
  /** The values that introspection returns. */
  introspected: number;
  /** The fields `__schema` and `__type`. */
  introspections: number;
}

/** What an operation costs, for the limit per minute. */
export interface Measured {
  readonly points: number;
  /** The error if the operation exceeds a limit. */
  readonly error: GraphqlError | undefined;
}

type Field = GraphQLField<unknown, unknown>;
type Type = GraphQLNamedType | null | undefined;
type Values = Readonly<Record<string, unknown>>;

/** What is known about the operation. */
interface Walk {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Costs of fragments: each is walked once, however often and deeply it is spread. */
  readonly costs: Map<string, Cost>;
  readonly variables: Values;
}

const nothing: Readonly<Cost> = {
  depth: 0,
  complexity: 0,
  aliases: 0,
  calls: 0,
  introspection: 0,
  introspected: 0,
  introspections: 0,
};
const sizeNames: readonly string[] = ['first', 'last', 'limit', 'per_page'];
/** The one argument of a field that is derived from an action. */
const inputName = 'input';
/** The argument of `__type`. */
const typeName = 'name';
/** The size of a list that takes no argument for it, if fields below it call actions. */
const assumedSize = 10;
/** The introspection query of common tools has 230 fields. */
const maxIntrospection = 500;

export function measureOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Values,
  limits: Limits,
): Measured {
  const cost = costOfOperation(schema, document, operation, variables);
  const points = cost.complexity + cost.introspected;
  const error =
    exceeds('QUERY_TOO_DEEP', 'depth of the operation', cost.depth, limits.depth) ??
    exceeds('TOO_MANY_ALIASES', 'number of aliases in the operation', cost.aliases, limits.aliases) ??
    exceeds('QUERY_TOO_COMPLEX', 'complexity of the operation', cost.complexity, limits.complexity) ??
    exceeds('QUERY_TOO_COMPLEX', 'number of fields __schema and __type', cost.introspections, 1) ??
    exceeds('QUERY_TOO_COMPLEX', 'number of introspection fields', cost.introspection, maxIntrospection) ??
    (cost.introspections > 0
      ? exceeds('QUERY_TOO_COMPLEX', 'number of introspected values', cost.introspected, introspectionLimit(schema))
      : undefined);
  return { points, error };
}

const advice = {
  QUERY_TOO_DEEP: 'Nest fewer fields.',
  TOO_MANY_ALIASES: 'Send several operations instead.',
  QUERY_TOO_COMPLEX: 'Select fewer fields or smaller pages.',
};

function exceeds(code: keyof typeof advice, what: string, value: number, limit: number): GraphqlError | undefined {
  if (value <= limit) return undefined;
  const shown = Math.min(value, Number.MAX_SAFE_INTEGER);
  return graphqlError(code, `The ${what} is ${shown}; the limit is ${limit}. ${advice[code]}`);
}

/** Whether the complexity of operations depends on variables. */
export function dependsOnVariables(document: DocumentNode): boolean {
  let depends = false;
  const isSize = ({ name }: { readonly name: NameNode }) => sizeNames.includes(name.value);
  visit(document, {
    VariableDefinition: () => false,
    Argument: (argument) =>
      isSize(argument) || [inputName, typeName].includes(argument.name.value) ? undefined : false,
    ObjectField: (field) => (isSize(field) ? undefined : false),
    Variable: () => {
      depends = true;
      return BREAK;
    },
  });
  return depends;
}

function costOfOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Values,
): Cost {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const defaults = (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
  );
  const walk = {
    schema,
    fragments,
    costs: new Map(),
    variables: { __proto__: null, ...Object.fromEntries(defaults), ...variables },
  };
  return costOfSelections(walk, operation.selectionSet, schema.getRootType(operation.operation));
}

function costOfSelections(walk: Walk, { selections }: SelectionSetNode, parent: Type): Cost {
  const sum = { ...nothing };
  // A loop, because the walk is as deep as a chain of fragments and must not exhaust the stack.
  for (const selection of selections) {
    const cost = costOfSelection(walk, selection, parent);
    sum.depth = Math.max(sum.depth, cost.depth);
    sum.complexity += cost.complexity;
    sum.aliases += cost.aliases;
    sum.calls += cost.calls;
    sum.introspection += cost.introspection;
    sum.introspected += cost.introspected;
    sum.introspections += cost.introspections;
  }
  return sum;
}

function costOfSelection(walk: Walk, selection: SelectionNode, parent: Type): Cost {
  if (selection.kind === Kind.FIELD) return costOfField(walk, selection, parent);
  if (selection.kind === Kind.FRAGMENT_SPREAD) return costOfFragment(walk, selection.name.value);
  const { typeCondition, selectionSet } = selection;
  return costOfSelections(walk, selectionSet, typeCondition ? walk.schema.getType(typeCondition.name.value) : parent);
}

/** Unknown fragments and those within themselves cost nothing: the validation refuses them. */
function costOfFragment(walk: Walk, name: string): Cost {
  const known = walk.costs.get(name);
  const fragment = walk.fragments.get(name);
  if (known || !fragment) return known ?? nothing;
  walk.costs.set(name, nothing);
  const cost = costOfSelections(walk, fragment.selectionSet, walk.schema.getType(fragment.typeCondition.name.value));
  walk.costs.set(name, cost);
  return cost;
}

function costOfField(walk: Walk, field: FieldNode, parent: Type): Cost {
  const definition = findField(parent, field.name.value);
  const type = definition && getNamedType(definition.type);
  const children = field.selectionSet ? costOfSelections(walk, field.selectionSet, type) : nothing;
  const aliases = children.aliases + (field.alias ? 1 : 0);
  const introspection = children.introspection + 1;
  if (parent && isIntrospectionType(parent)) return { ...nothing, aliases, introspection };
  if (introspectionFields.has(field.name.value)) {
    const introspected = introspection > maxIntrospection ? 0 : countIntrospection(walk, field);
    return { ...nothing, aliases, introspection, introspected, introspections: 1 };
  }
  const { calls } = children;
  const size =
    sizeOfField(walk, field, definition) ?? (calls > 0 && isUnsizedList(definition, parent) ? assumedSize : 1);
  return {
    depth: children.depth + 1,
    complexity: size * (1 + children.complexity),
    aliases,
    calls: calls + (definition?.resolve ? 1 : 0),
    introspection: children.introspection,
    introspected: size * children.introspected,
    introspections: size * children.introspections,
  };
}

function findField(parent: Type, name: string): Field | undefined {
  const introspection = introspectionFields.get(name);
  if (introspection) return introspection;
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

/** The number of items that the field asks for, at least 1; `undefined` if it has no argument for it. */
function sizeOfField(walk: Walk, field: FieldNode, definition: Field | undefined): number | undefined {
  const findValue = (name: string) => {
    const node = field.arguments?.find((argument) => argument.name.value === name);
    return node && valueFromASTUntyped(node.value, walk.variables);
  };
  const sizes = (definition?.args ?? []).flatMap(({ name, defaultValue }) => {
    if (name !== inputName && !sizeNames.includes(name)) return [];
    // `last` replaces `first`, which has a default.
    if (name === 'first' && findValue('last') != null) return [];
    const value = findValue(name) ?? defaultValue;
    return name === inputName && isRecord(value) ? sizeNames.map((size) => value[size]) : [value];
  });
  return sizes.length === 0 ? undefined : Math.max(1, ...sizes.filter((size) => typeof size === 'number'));
}

/** The lists in a connection have the size that was asked of it. */
function isUnsizedList(definition: Field | undefined, parent: Type): boolean {
  const isConnection = isObjectType(parent) && 'pageInfo' in parent.getFields();
  return definition !== undefined && isListType(getNullableType(definition.type)) && !isConnection;
}

function isRecord(value: unknown): value is Values {
  return typeof value === 'object' && value !== null;
}
