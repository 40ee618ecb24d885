import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  parse,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  valueFromASTUntyped,
} from 'graphql';

type Field = GraphQLField<unknown, unknown>;

export const introspectionFields: ReadonlyMap<string, Field> = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]),
);

interface Document {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Counting stops here: operations that introspect more are refused. */
const maxCount = 1_000_000;

/** The number of values that `__schema` or `__type` returns, or more than `limit`. */
export function countIntrospection(
  document: Document,
  field: FieldNode,
  limit = introspectionLimit(document.schema),
): number {
  const counter = new Counter(document, limit);
  counter.addField(field, introspectionFields.get(field.name.value) as Field, undefined);
  return counter.count;
}

const limits = new WeakMap<GraphQLSchema, number>();

/** Half as many values again as the query of common tools returns: clients add `__typename`. */
export function introspectionLimit(schema: GraphQLSchema): number {
  const known = limits.get(schema);
  if (known !== undefined) return known;
  const limit = Math.ceil(1.5 * countCommonQuery(schema));
  limits.set(schema, limit);
  return limit;
}

const commonQuery = parse(
  getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  }),
);

function countCommonQuery(schema: GraphQLSchema): number {
  const [operation, ...fragments] = commonQuery.definitions as [OperationDefinitionNode, ...FragmentDefinitionNode[]];
  const document = { schema, fragments: new Map(fragments.map((one) => [one.name.value, one])), variables: {} };
  return countIntrospection(document, operation.selectionSet.selections[0] as FieldNode, maxCount);
}

/** Follows the selections through the schema as the execution does. */
class Counter {
  count = 0;
  readonly #document: Document;
  readonly #limit: number;
  /** The fragments that are being followed: the validation refuses one within itself. */
  readonly #followed = new Set<string>();

  constructor(document: Document, limit: number) {
    this.#document = document;
    this.#limit = limit;
  }

  addField(field: FieldNode, { type, resolve }: Field, source: unknown): void {
    this.count += 1;
    if (!field.selectionSet || this.count > this.#limit) return;
    const { schema, variables } = this.#document;
    const name = field.arguments?.find((argument) => argument.name.value === 'name');
    const args = { includeDeprecated: true, name: name && valueFromASTUntyped(name.value, variables) };
    const value = resolve?.(source, args, undefined, { schema } as never);
    const objectType = getNamedType(type) as GraphQLObjectType;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item != null) this.#addSelections(field.selectionSet, objectType, item);
    }
  }

  #addSelections({ selections }: SelectionSetNode, type: GraphQLObjectType, source: unknown): void {
    for (const selection of selections) {
      if (this.count > this.#limit) return;
      this.#addSelection(selection, type, source);
    }
  }

  #addSelection(selection: SelectionNode, type: GraphQLObjectType, source: unknown): void {
    if (selection.kind === Kind.FIELD) {
      const field = type.getFields()[selection.name.value];
      if (field) this.addField(selection, field, source);
      else this.count += 1;
    } else if (selection.kind === Kind.INLINE_FRAGMENT) this.#addSelections(selection.selectionSet, type, source);
    else this.#addFragment(selection.name.value, type, source);
  }

  #addFragment(name: string, type: GraphQLObjectType, source: unknown): void {
    const fragment = this.#document.fragments.get(name);
    if (!fragment || this.#followed.has(name)) return;
    this.#followed.add(name);
    this.#addSelections(fragment.selectionSet, type, source);
    this.#followed.delete(name);
  }
}
