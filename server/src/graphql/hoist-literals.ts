import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  parseType,
  TypeInfo,
  type ValueNode,
  type VariableDefinitionNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';

type Values = Readonly<Record<string, unknown>>;

/** A document whose objects and lists with variables are variables of their own, which graphql-jit reads as it should. */
export interface HoistedDocument {
  readonly document: DocumentNode;
  readonly hasLiterals: boolean;
  /** The variables of the document, for those of the original one. */
  readVariables(variables: Values): Values;
}

export function hoistLiterals(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): HoistedDocument {
  const literals: [string, ValueNode][] = [];
  const definitions: VariableDefinitionNode[] = [];
  const typeInfo = new TypeInfo(schema);
  const hoisted = visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Argument: (argument) => {
        const type = typeInfo.getInputType();
        if (!type || !isHoistable(new TypeInfo(schema, type), argument.value)) return undefined;
        const name = { kind: Kind.NAME, value: `__literal${literals.length}` } as const;
        const variable = { kind: Kind.VARIABLE, name } as const;
        literals.push([name.value, argument.value]);
        definitions.push({ kind: Kind.VARIABLE_DEFINITION, variable, type: parseType(String(type)) });
        return { ...argument, value: variable };
      },
    }),
  ) as DocumentNode;
  if (literals.length === 0) return { document, hasLiterals: false, readVariables: (variables) => variables };
  const defaults = readDefaults(operation);
  return {
    document: withVariables(hoisted, document.definitions.indexOf(operation), definitions),
    hasLiterals: true,
    readVariables: (variables) => {
      const known = { ...defaults, ...variables };
      return { ...variables, ...Object.fromEntries(literals.map(([name, value]) => [name, readValue(value, known)])) };
    },
  };
}

/** Whether it is an object or a list with variables. As a variable, a number for an amount would lose its digits. */
function isHoistable(typeInfo: TypeInfo, literal: ValueNode): boolean {
  if (literal.kind !== Kind.OBJECT && literal.kind !== Kind.LIST) return false;
  let hasVariables = false;
  let hasAmounts = false;
  const checkNumber = () => {
    const type = typeInfo.getInputType();
    if (type && getNamedType(type).name === 'Money') hasAmounts = true;
  };
  visit(
    literal,
    visitWithTypeInfo(typeInfo, {
      IntValue: checkNumber,
      FloatValue: checkNumber,
      Variable: () => {
        hasVariables = true;
      },
    }),
  );
  return hasVariables && !hasAmounts;
}

function withVariables(
  document: DocumentNode,
  index: number,
  definitions: readonly VariableDefinitionNode[],
): DocumentNode {
  const operation = document.definitions[index] as OperationDefinitionNode;
  const variableDefinitions = [...(operation.variableDefinitions ?? []), ...definitions];
  return { ...document, definitions: document.definitions.with(index, { ...operation, variableDefinitions }) };
}

function readDefaults({ variableDefinitions = [] }: OperationDefinitionNode): Values {
  const given = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
  );
  return Object.fromEntries(given);
}

/** A field whose variable is missing is missing; in a list it is null. */
function readValue(node: ValueNode, variables: Values): unknown {
  if (node.kind === Kind.LIST) return node.values.map((item) => readValue(item, variables) ?? null);
  if (node.kind !== Kind.OBJECT) return valueFromASTUntyped(node, variables);
  const fields = node.fields.map(({ name, value }) => [name.value, readValue(value, variables)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}
