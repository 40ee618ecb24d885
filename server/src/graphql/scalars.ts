import { GraphQLError, type GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';

/** Deeper JSON is refused: code that walks it is recursive. */
const maxJsonDepth = 50;

/** Types that every schema has. */
export const baseSdl = `
"An amount with two decimals, or three in currencies such as KWD. In an input also a number."
scalar Money
"A time in ISO 8601, in UTC."
scalar DateTime
"A date in ISO 8601."
scalar Date
"An integer of at most 53 bits."
scalar BigInt
"Any JSON value."
scalar JSON

"An amount with its currency."
type MoneyAmount {
  "The amount."
  amount: Money!
  "ISO 4217 code."
  currency: String!
}

"What is wrong with the input of a mutation."
type UserError {
  "A sentence for people."
  message: String!
  "A code for programs: of a field, such as required or taken, or of the whole input, such as orders.not_found."
  code: String!
  "The field of the input, from the outermost name to the innermost; null if the error is about none."
  field: [String!]
}

"The direction of a list."
enum SortOrder { asc desc }

"As the Relay specification describes it."
type PageInfo {
  "Whether records follow."
  hasNextPage: Boolean!
  "Whether records precede."
  hasPreviousPage: Boolean!
  "The cursor of the first record, for \`before\`."
  startCursor: String
  "The cursor of the last record, for \`after\`."
  endCursor: String
}

"Refuses the field to users without the permission."
directive @can(permission: String!) on FIELD_DEFINITION
"Refuses the field to callers without a user account, such as API clients."
directive @auth on FIELD_DEFINITION
"Caches the value of the field, for the user or for all users of the tenant."
directive @cache(seconds: Int!, scope: CacheScope = USER) on FIELD_DEFINITION
"For whom a value is cached."
enum CacheScope { USER TENANT }

"The tenant of the request."
type Tenant {
  "The id of the tenant."
  id: ID!
  "The name of the organization."
  name: String!
  "The ring whose modules serve the tenant."
  ring: String!
}

type Query {
  "The tenant of the request."
  tenant: Tenant!
}
`;

type Coercion = Pick<GraphQLScalarType, 'serialize' | 'parseValue' | 'parseLiteral'>;

const keep = (value: unknown) => value;

/** Values are checked by the schemas of the actions. */
const text: Coercion = {
  serialize: keep,
  parseValue: (value) => {
    if (typeof value !== 'string') throw new GraphQLError('The value must be a string.');
    return value;
  },
  parseLiteral: (node) => {
    if (node.kind !== Kind.STRING) throw new GraphQLError('The value must be a string.', { nodes: node });
    return node.value;
  },
};

const textOrNumber: Coercion = {
  serialize: keep,
  parseValue: (value) => {
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw new GraphQLError('The value must be a string or a number.');
    }
    return value;
  },
  parseLiteral: (node) => {
    if (node.kind !== Kind.STRING && node.kind !== Kind.INT && node.kind !== Kind.FLOAT) {
      throw new GraphQLError('The value must be a string or a number.', { nodes: node });
    }
    return node.value;
  },
};

const bigInt: Coercion = {
  serialize: keep,
  parseValue: safeInteger,
  parseLiteral: (node) => safeInteger(node.kind === Kind.INT ? Number(node.value) : undefined, node),
};

const json: Coercion = {
  serialize: keep,
  parseValue: (value) => {
    if (isDeeper(value, maxJsonDepth)) throw new GraphQLError(`JSON can be nested ${maxJsonDepth} deep at most.`);
    return value;
  },
  // As JSON: a field whose variable is missing is missing.
  parseLiteral: (node, variables) => JSON.parse(JSON.stringify(valueFromASTUntyped(node, variables))),
};

export const scalars: Readonly<Record<string, Coercion>> = {
  Money: textOrNumber,
  DateTime: text,
  Date: text,
  BigInt: bigInt,
  JSON: json,
};

function safeInteger(value: unknown, node?: ValueNode): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new GraphQLError('The value must be an integer.', { nodes: node ?? null });
}

/** Whether the value has more levels of objects and lists than this. */
export function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}
