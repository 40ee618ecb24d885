import fc from 'fast-check';
import {
  buildSchema,
  type GraphQLObjectType,
  getIntrospectionQuery,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { dependsOnVariables, measureOperation } from './limits.ts';
import { parseDocument } from './parse-document.ts';

const schema = buildSchema(`
  scalar JSON
  interface Node { id: ID! }
  union Result = Order | Customer
  type Order implements Node { id: ID! customer: Customer items(first: Int = 10): [Order!]! }
  type Customer implements Node { id: ID! orders(first: Int): [Order!]! }
  type Query {
    count: Int!
    self: Query
    list(first: Int = 2): [Query!]!
    orders(first: Int = 20, status: String): [Order!]!
    pages(per_page: Int, limit: Int): [Order!]!
    search(limit: Int!): [Result!]!
    orders_list(input: JSON): JSON
    page(first: Int = 20): OrderConnection
    records: [Related!]!
  }
  type OrderConnection { nodes: [Order!]! pageInfo: Boolean }
  type Related { id: ID! related: [Related!]! }
  type Mutation { orders_export(input: JSON): JSON }
`);
Object.assign((schema.getType('Related') as GraphQLObjectType).getFields().related ?? {}, { resolve: () => [] });
const platform = { depth: 7, complexity: 1_000, aliases: 30 };

type Variables = Readonly<Record<string, unknown>>;

function measure(text: string, variables: Variables = {}, limits = platform) {
  const document = parseDocument(text);
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  );
  return measureOperation(schema, document, operation as OperationDefinitionNode, variables, limits);
}

const refusal = (...args: Parameters<typeof measure>) => measure(...args).error;

/** What is measured, read from the refusals. */
function measured(text: string, variables: Variables = {}) {
  const none = { depth: 1e9, complexity: 1e9, aliases: 1e9 };
  const value = (limits: Partial<typeof none>) =>
    Number(/ is (\d+);/.exec(refusal(text, variables, { ...none, ...limits })?.message ?? ' is 0;')?.[1]);
  return { depth: value({ depth: 0 }), complexity: value({ complexity: 0 }), aliases: value({ aliases: 0 }) };
}

const complexity = (text: string, variables?: Variables) => measured(text, variables).complexity;
const depth = (text: string) => measured(text).depth;
const nested = (levels: number) => `${'self { '.repeat(levels - 1)} count ${'}'.repeat(levels - 1)}`;
const aliases = (count: number) => Array.from({ length: count }, (_, index) => `a${index}: __typename`).join(' ');

describe('depth', () => {
  test('seven levels are accepted, eight are refused with both numbers and what to do', () => {
    expect(refusal(`{ ${nested(7)} }`)).toBeUndefined();
    expect(refusal(`{ ${nested(8)} }`)).toEqual({
      message: 'The depth of the operation is 8; the limit is 7. Nest fewer fields.',
      extensions: { code: 'QUERY_TOO_DEEP' },
    });
  });

  test('fragments and inline fragments add no level themselves, and cannot hide one', () => {
    expect(depth(`{ self { ...A } } fragment A on Query { ...B } fragment B on Query { self { count } }`)).toBe(3);
    expect(depth('{ ... { ... on Query { self { ... @include(if: true) { count } } } } }')).toBe(2);
    expect(
      refusal(
        `{ ...A } fragment A on Query { ${nested(4)} self { self { self { ...B } } } } fragment B on Query { ${nested(5)} }`,
      ),
    ).toMatchObject({ extensions: { code: 'QUERY_TOO_DEEP' } });
  });

  test('a skipped field counts', () => {
    expect(depth('{ count self @skip(if: true) { count } }')).toBe(2);
  });

  test('of several excesses, the depth is reported', () => {
    expect(refusal(`{ ${aliases(31)} orders(first: 2000) { id } ${nested(8)} }`)?.extensions.code).toBe(
      'QUERY_TOO_DEEP',
    );
  });
});

describe('aliases', () => {
  test('thirty are accepted, 31 are refused', () => {
    expect(refusal(`{ ${aliases(30)} }`)).toBeUndefined();
    expect(refusal(`{ ${aliases(31)} }`)).toEqual({
      message: 'The number of aliases in the operation is 31; the limit is 30. Send several operations instead.',
      extensions: { code: 'TOO_MANY_ALIASES' },
    });
  });

  test('aliases in a fragment count each time it is spread', () => {
    expect(
      measured('{ self { ...A } ...A } fragment A on Query { a: count ...B } fragment B on Query { b: count }').aliases,
    ).toBe(4);
  });

  test('aliases within introspection count', () => {
    expect(measured('{ a: __schema { b: queryType { c: name } } }').aliases).toBe(3);
  });
});

describe('complexity', () => {
  test('1,000 points are accepted, 1,001 are refused', () => {
    expect(refusal('{ orders(first: 500) { id } }')).toBeUndefined();
    expect(refusal('{ orders(first: 500) { id } count }')).toEqual({
      message: 'The complexity of the operation is 1001; the limit is 1000. Select fewer fields or smaller pages.',
      extensions: { code: 'QUERY_TOO_COMPLEX' },
    });
  });

  test('a field costs one point, and a page multiplies everything in it', () => {
    expect(complexity('{ count self { count } }')).toBe(3);
    expect(complexity('{ orders(first: 3) { id customer { id } } }')).toBe(3 * (1 + 1 + 2));
    expect(complexity('{ orders(first: 3) { items(first: 4) { id } } }')).toBe(3 * (1 + 4 * (1 + 1)));
    expect(complexity('{ search(limit: 5) { ... on Order { id } ... on Customer { id } __typename } }')).toBe(20);
  });

  test('the size of a page is given by the largest of its arguments, or by the default of the schema', () => {
    expect(complexity('{ pages(per_page: 2, limit: 9) { id } }')).toBe(18);
    expect(complexity('{ pages { id } }')).toBe(2);
    expect(complexity('{ orders { id } }')).toBe(40);
    expect(complexity('{ orders(first: null) { id } }')).toBe(40);
  });

  test('the size of a page can be in a variable or its default', () => {
    const text = 'query ($n: Int = 7) { orders(first: $n) { id } }';
    expect([complexity(text), complexity(text, { n: 3 }), complexity(text, { n: null })]).toEqual([14, 6, 40]);
    expect(complexity('query ($n: Int) { orders(first: $n) { id } }')).toBe(40);
    expect(complexity('query ($n: Int) { ...A } fragment A on Query { orders(first: $n) { id } }', { n: 3 })).toBe(6);
  });

  test('the size of a page can be in the input of an action', () => {
    expect(complexity('{ orders_list(input: { status: "paid", per_page: 50 }) }')).toBe(50);
    expect(complexity('query ($n: Int) { orders_list(input: { limit: $n }) }', { n: 30 })).toBe(30);
    expect(complexity('query ($i: JSON = { first: 20 }) { orders_list(input: $i) }')).toBe(20);
    expect(complexity('query ($i: JSON) { orders_list(input: $i) }', { i: { per_page: 10 } })).toBe(10);
    expect(complexity('mutation { orders_export(input: { per_page: 11 }) }')).toBe(11);
    expect(complexity('{ orders_list(input: { filter: { per_page: 10 } }) }')).toBe(1);
  });

  test('a list without a size counts as ten records if fields below it call actions', () => {
    expect(complexity('{ records { id } }')).toBe(2);
    expect(complexity('{ records { related { id } } }')).toBe(10 * (1 + 2));
    expect(complexity('{ records { related { related { id } } } }')).toBe(10 * (1 + 10 * (1 + 2)));
    const deep = '{ records { related { related { related { related { id } } } } } }';
    expect(refusal(deep)?.extensions.code).toBe('QUERY_TOO_COMPLEX');
    expect(complexity('{ page(first: 3) { nodes { id } } }')).toBe(9);
  });

  test('wrong values and unknown fields count one, the validation refuses them', () => {
    expect(complexity('{ orders(first: -5) { id } }')).toBe(2);
    expect(complexity('{ pages(limit: "50") { id } }')).toBe(2);
    expect(complexity('{ orders_list(input: [100]) orders_list(input: "100") }')).toBe(2);
    expect(complexity('{ unknown(first: 50) { unknown } }')).toBe(2);
  });

  test('a fragment that is unknown or within itself is measured without an end', () => {
    expect(complexity('{ count ...Unknown }')).toBe(1);
    expect(complexity('{ ...A } fragment A on Query { count ...B } fragment B on Query { count ...A }')).toBe(2);
  });

  test('a tenant can have lower limits', () => {
    expect(refusal('{ count self { count } }', {}, { ...platform, complexity: 2 })?.extensions.code).toBe(
      'QUERY_TOO_COMPLEX',
    );
  });
});

describe('introspection', () => {
  test('the query of common tools is accepted', () => {
    const options = {
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    };
    expect(refusal(getIntrospectionQuery(options))).toBeUndefined();
  });

  test('it has no depth and complexity; each value that it returns is a point', () => {
    expect(measured('{ __schema { types { fields { type { name } } } } count }')).toMatchObject({
      depth: 1,
      complexity: 1,
    });
    expect(measure('{ __schema { queryType { name } } }').points).toBe(3);
    expect(measure('{ __schema { types { name } } }').points).toBe(2 + Object.keys(schema.getTypeMap()).length);
    expect(measure('{ __type(name: "Order") { fields { name type { name __typename } } } }').points).toBe(2 + 3 * 4);
    expect(measure('{ __type(name: "Nothing") { fields { name } } }').points).toBe(1);
    const named = 'query ($name: String!) { __type(name: $name) { fields { name } } }';
    expect([measure(named, { name: 'Node' }).points, measure(named, { name: 'Order' }).points]).toEqual([3, 5]);
  });

  test('it can have 500 fields', () => {
    const fields = (count: number) => `{ __schema { ${'description '.repeat(count - 1)} } }`;
    expect(refusal(fields(500))).toBeUndefined();
    expect(refusal(fields(501))).toEqual({
      message: 'The number of introspection fields is 501; the limit is 500. Select fewer fields or smaller pages.',
      extensions: { code: 'QUERY_TOO_COMPLEX' },
    });
  });

  test('it can return half as many values again as the query of common tools', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}: name`).join(' ');
    const unlimited = { ...platform, aliases: 1e9 };
    expect(refusal(`{ __schema { types { ${names(5)} } } }`, {}, unlimited)).toBeUndefined();
    const error = refusal(
      `{ __schema { types { fields { type { fields { type { ${names(60)} } } } } } } }`,
      {},
      unlimited,
    );
    expect(error).toMatchObject({ extensions: { code: 'QUERY_TOO_COMPLEX' } });
    expect(error?.message).toMatch(/^The number of introspected values is \d+; the limit is \d+\./);
  });

  test('a fragment within itself is counted without an end', () => {
    expect(
      refusal('{ __schema { types { ...A } } } fragment A on __Type { fields { type { ...A } } }'),
    ).toBeUndefined();
  });

  test('an operation can have one field of it, also through fragments', () => {
    const error = { extensions: { code: 'QUERY_TOO_COMPLEX' } };
    expect(refusal('{ __schema { description } }')).toBeUndefined();
    expect(refusal('{ a: __schema { description } b: __type(name: "Order") { name } }')).toMatchObject(error);
    expect(refusal('{ ...A self { ...A } } fragment A on Query { __schema { description } }')).toMatchObject(error);
    expect(refusal('{ list(first: 2) { __schema { description } } }')).toMatchObject(error);
  });
});

test('the complexity depends on variables only if they can hold the size of a page', () => {
  const depends = (text: string) => dependsOnVariables(parseDocument(text));
  expect(depends('query ($n: Int) { orders(first: $n) { id } }')).toBe(true);
  expect(depends('query ($n: Int) { orders_list(input: { per_page: $n }) }')).toBe(true);
  expect(depends('query ($i: JSON) { orders_list(input: $i) }')).toBe(true);
  expect(depends('query ($i: JSON) { ...A } fragment A on Query { orders_list(input: $i) }')).toBe(true);
  expect(depends('query ($n: String!) { __type(name: $n) { name } }')).toBe(true);
  expect(depends('query ($s: String, $b: Boolean!) { orders(first: 5, status: $s) @skip(if: $b) { id } }')).toBe(false);
  expect(depends('query ($s: String) { orders_list(input: { status: $s, per_page: 5 }) }')).toBe(false);
});

type Selection =
  | { readonly kind: 'leaf'; readonly alias: boolean }
  | { readonly kind: 'object'; readonly alias: boolean; readonly selections: readonly Selection[] }
  | {
      readonly kind: 'page';
      readonly size: number;
      readonly inVariable: boolean;
      readonly selections: readonly Selection[];
    }
  | { readonly kind: 'inline'; readonly selections: readonly Selection[] }
  /** Spreads a fragment after the one that it is in, so that there is no cycle. */
  | { readonly kind: 'spread'; readonly distance: number };

const { selections } = fc.letrec<{ selection: Selection; selections: readonly Selection[] }>((tie) => {
  const fields = { selections: tie('selections') };
  return {
    selection: fc.oneof(
      { maxDepth: 3 },
      fc.record({ kind: fc.constant('leaf'), alias: fc.boolean() }),
      fc.record({ kind: fc.constant('spread'), distance: fc.nat(2) }),
      fc.record({ kind: fc.constant('object'), alias: fc.boolean(), ...fields }),
      fc.record({
        kind: fc.constant('page'),
        size: fc.integer({ min: -1, max: 9 }),
        inVariable: fc.boolean(),
        ...fields,
      }),
      fc.record({ kind: fc.constant('inline'), ...fields }),
    ),
    selections: fc.array(tie('selection'), { minLength: 1, maxLength: 3 }),
  };
});

/** Replaces fragments by their selections. A spread after the last fragment is a field. */
function expand(from: readonly Selection[], fragments: readonly (readonly Selection[])[]): readonly Selection[] {
  return from.flatMap((selection): readonly Selection[] => {
    if (selection.kind === 'leaf') return [selection];
    if (selection.kind === 'inline') return expand(selection.selections, fragments);
    if (selection.kind !== 'spread') return [{ ...selection, selections: expand(selection.selections, fragments) }];
    const spread = fragments[selection.distance];
    return spread ? expand(spread, fragments.slice(selection.distance + 1)) : [{ kind: 'leaf', alias: false }];
  });
}

function print(from: readonly Selection[], fragments: number, first = 0): string {
  const texts = from.map((selection) => {
    const alias = 'alias' in selection && selection.alias ? 'a: ' : '';
    if (selection.kind === 'leaf') return `${alias}count`;
    if (selection.kind === 'spread') {
      const index = first + selection.distance;
      return index < fragments ? `...F${index}` : 'count';
    }
    const set = print(selection.selections, fragments, first);
    if (selection.kind === 'inline') return `... on Query ${set}`;
    if (selection.kind === 'object') return `${alias}self ${set}`;
    return `list(first: ${selection.inVariable ? `$size${selection.size + 1}` : selection.size}) ${set}`;
  });
  return `{ ${texts.join(' ')} }`;
}

function naive(expanded: readonly Selection[]): { depth: number; complexity: number; aliases: number } {
  const costs = expanded.map((selection) => {
    const children = naive('selections' in selection ? selection.selections : []);
    const size = selection.kind === 'page' ? Math.max(1, selection.size) : 1;
    const alias = 'alias' in selection && selection.alias ? 1 : 0;
    const { depth, complexity, aliases } = children;
    return { depth: depth + 1, complexity: size * (1 + complexity), aliases: aliases + alias };
  });
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return {
    depth: Math.max(0, ...costs.map((cost) => cost.depth)),
    complexity: sum(costs.map((cost) => cost.complexity)),
    aliases: sum(costs.map((cost) => cost.aliases)),
  };
}

test('an operation with fragments costs as much as with their selections in place', () => {
  const variables = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`size${index}`, index - 1]));
  const definitions = Object.keys(variables).map((name) => `$${name}: Int`);
  fc.assert(
    fc.property(selections, fc.array(selections, { maxLength: 4 }), (operation, fragments) => {
      const text = [
        `query (${definitions.join(' ')}) ${print(operation, fragments.length)}`,
        ...fragments.map((own, index) => `fragment F${index} on Query ${print(own, fragments.length, index + 1)}`),
      ].join(' ');
      expect(measured(text, variables)).toEqual(naive(expand(operation, fragments)));
    }),
  );
});
