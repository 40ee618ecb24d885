import {
  type DocumentNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  visit,
} from 'graphql';

/**
 * Whether graphql-jit executes the document as the specification says. It runs text after one of its own markers as code;
 * a field `__proto__` of a literal becomes the prototype of the object;
 * within the literal of an object or a list it drops variables or replaces missing ones by null; it mixes up
 * the conditions of objects with the same name and of fragments that are used twice; it runs the fields of a mutation in
 * another order if conditions leave some out; and the code for a recursive input exhausts the memory.
 */
export function isCompilable(schema: GraphQLSchema, document: DocumentNode): boolean {
  let isSafe = true;
  let literals = 0;
  let hasConditions = false;
  let isMutation = false;
  const shared: string[] = [];
  const checkText = ({ value }: { readonly value: string }) => {
    if (value.includes('__MAGIC_') || value === '__proto__') isSafe = false;
  };
  const countLiterals = { enter: () => void literals++, leave: () => void literals-- };
  visit(document, {
    Name: checkText,
    StringValue: checkText,
    EnumValue: checkText,
    ObjectValue: countLiterals,
    ListValue: countLiterals,
    NamedType: ({ name }) => {
      if (isRecursive(schema.getType(name.value))) isSafe = false;
    },
    Variable: () => {
      if (literals > 0) isSafe = false;
    },
    OperationDefinition: ({ operation }) => {
      isMutation ||= operation === 'mutation';
    },
    Directive: () => {
      hasConditions = true;
    },
    Field: ({ selectionSet, alias, name }: FieldNode) => {
      if (selectionSet) shared.push((alias ?? name).value);
    },
    FragmentSpread: ({ name }) => void shared.push(`...${name.value}`),
  });
  return isSafe && !(hasConditions && (isMutation || new Set(shared).size < shared.length));
}

function isRecursive(type: GraphQLNamedType | undefined, above: readonly GraphQLNamedType[] = []): boolean {
  if (!isInputObjectType(type)) return false;
  if (above.includes(type)) return true;
  return Object.values(type.getFields()).some((field) => isRecursive(getNamedType(field.type), [...above, type]));
}
