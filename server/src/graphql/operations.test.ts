import { createHash } from 'node:crypto';
import { Failure, type GraphqlError, type Resolvers } from '@chowk/kit/kernel';
import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isCompositeType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { expect, test } from 'vitest';
import { silent } from '../../testing/silent-log.ts';
import { testModule } from '../../testing/test-module.ts';
import { isCompilable } from './compilable.ts';
import { executionError } from './errors.ts';
import { GraphqlRefusal } from './graphql-refusal.ts';
import { hoistLiterals } from './hoist-literals.ts';
import { readModuleSchema } from './module-schema.ts';
import { executeOperation, Operations } from './operations.ts';
import type { RequestState } from './request-state.ts';
import { buildTenantSchema } from './tenant-schema.ts';

const sdl = `
  enum Color { red green }
  input Filter { color: Color = red, min: Money, tags: [String!], inner: Range }
  input Range { color: Color = red, min: Money, tags: [String!] }
  input Recursive { inner: Recursive, all: [Recursive!] }
  interface Named { name: String }
  type Box implements Named { name: String, size: Int!, things: [Thing!] }
  union Content = Box | Thing
  type Thing implements Named {
    id: ID!
    name: String
    color: Color
    wrongColor: Color
    price: Money
    count: Int
    wrongCount: Int
    wrongText: String!
    big: BigInt
    data: JSON
    at: DateTime
    nothing: Thing
    nothingRequired: Thing!
    failing: String
    failingRequired: Int!
    failingThing: Thing
    child: Thing
    childRequired: Thing!
    later: Thing
    laterFailing: Int
    laterFailingRequired: Int!
    children(first: Int = 2): [Thing]
    childrenRequired: [Thing!]!
    someFailing: [Thing]
    someFailingRequired: [Thing!]
    someNull: [Thing!]
    notList: [Int]
    matrix: [[Int]]
    matrixWithNull: [[Int!]!]
    content: [Content]
    named: Named
    echo(text: String, color: Color, price: Money, list: [Int!], filter: Filter, json: JSON, count: Int = 3, on: Boolean, recursive: Recursive): JSON
  }
  type Query { thing(index: Int): Thing, things: [Thing!]!, thingRequired: Thing!, box: Box }
  type Mutation { add(by: Int! = 1): Int, fail: Int, current: Thing! }
`;

/** A failure that callers see. */
function refuse(): never {
  throw new Failure('things.broken', 409, 'The thing is broken.');
}

/** An internal error. */
function crash(): never {
  throw new Error('secret');
}

interface Thing {
  readonly id: number;
  readonly __typename: string;
}

let total = 0;
const thingAt = (index: number): Thing => ({ ...things[index % 3] }) as never;
const thingFields = {
  child: ({ id }: Thing) => thingAt(id + 1),
  childRequired: ({ id }: Thing) => thingAt(id + 1),
  later: async ({ id }: Thing) => (id === 2 ? null : thingAt(id + 2)),
  laterFailing: async () => crash(),
  laterFailingRequired: async () => refuse(),
  nothing: () => null,
  nothingRequired: () => null,
  failing: () => refuse(),
  failingRequired: () => crash(),
  failingThing: () => refuse(),
  wrongText: () => ({}),
  children: (_: Thing, { first }: { first: number }) => things.slice(0, first),
  childrenRequired: () => things,
  someFailing: () => [
    thingAt(0),
    Promise.reject(new Failure('things.broken', 404, 'Gone.')),
    null,
    new Error('secret'),
  ],
  someFailingRequired: () => [thingAt(0), Promise.resolve(thingAt(1)), Promise.reject(new Error('secret'))],
  // First: graphql-js leaves the promises of items before a missing one without a handler.
  someNull: ({ id }: Thing) => (id === 0 ? [null, thingAt(0)] : [thingAt(1)]),
  content: () => [{ __typename: 'Box', name: 'Box', size: 3, things }, null, thingAt(2)],
  named: ({ id }: Thing) => (id === 1 ? { __typename: 'Box', name: 'Box', size: null } : thingAt(2)),
  echo: (_: Thing, args: object) => ({ ...args }),
};
const common = { __typename: 'Thing', wrongColor: 'purple', notList: 7, wrongCount: 'seven' };
const things = [
  { ...common, id: 0, name: 'Tea', color: 'red', price: '4.50', count: 1, big: 2 ** 40, data: { a: [1, null] } },
  { ...common, id: 1, name: null, color: null, price: null, count: null, big: null, data: null, matrix: [[1], null] },
  {
    ...common,
    id: 2,
    name: 'Çay',
    color: 'green',
    price: '0.00',
    count: 0,
    at: '2026-01-31T09:30:00Z',
    matrix: [[1, 2], [], [null]],
    matrixWithNull: [[1], [null]],
  },
];
const resolvers: Record<string, Record<string, unknown>> = {
  Thing: thingFields,
  Query: {
    thing: (_: unknown, { index }: { index?: number }) => (index == null ? null : thingAt(Math.abs(index))),
    things: () => things,
    thingRequired: async () => thingAt(1),
    box: () => ({ __typename: 'Box', name: 'Box', size: 3, things }),
  },
  Mutation: {
    add: async (_: unknown, { by }: { by: number }) => {
      total += by;
      return total;
    },
    fail: () => refuse(),
    current: () => ({ ...thingAt(0), count: total }),
  },
};

const { manifest } = testModule({ alias: 'things' });
const graphql = { sdl: [sdl], resolvers: [resolvers as Resolvers] };
const { schema } = buildTenantSchema([readModuleSchema({ alias: 'things', manifest, graphql }, [])]);

/** Arguments as literals and as variables. */
const literals: Record<string, readonly string[]> = {
  Int: ['0', '2', 'null', '$int', '$intWithDefault'],
  'Int!': ['1', '5', '$intRequired'],
  String: ['"a"', 'null', '$text', '"""b"""'],
  Boolean: ['true', '$flag', 'null'],
  Color: ['red', '$color', 'null'],
  Money: ['1', '"2.50"', '3.75', '$price'],
  '[Int!]': ['[1, 2]', '3', '[]', '[$intRequired]', '$list', 'null'],
  Filter: ['{}', '{ color: green, min: 1 }', '{ tags: ["x"], inner: { min: $price } }', '$filter', '{ color: null }'],
  Recursive: ['{ inner: { all: [] } }', '$recursive'],
  JSON: ['{ a: [1, "b", null, c], d: { e: $int } }', '$json', '7', 'null', '[true]'],
};
const variableTypes: Record<string, string> = {
  int: 'Int',
  intWithDefault: 'Int = 4',
  intRequired: 'Int!',
  text: 'String',
  flag: 'Boolean',
  color: 'Color',
  price: 'Money',
  list: '[Int!]',
  filter: 'Filter',
  json: 'JSON',
  recursive: 'Recursive',
  yes: 'Boolean!',
  no: 'Boolean!',
};
const values = fc.record(
  {
    int: fc.constantFrom<unknown>(1, 2, null, 'wrong'),
    intWithDefault: fc.constantFrom(1, null),
    intRequired: fc.constantFrom<unknown>(6, 6, 6, 6, null),
    text: fc.constantFrom('t', null),
    flag: fc.boolean(),
    color: fc.constantFrom('green', 'green', 'red', null, 'purple'),
    price: fc.constantFrom<unknown>('1.00', 2, null, true),
    list: fc.constantFrom<unknown>([1], 2, [], null, [null]),
    filter: fc.constantFrom<unknown>({}, { color: 'green' }, { min: '1', inner: { tags: ['a'] } }, null, { other: 1 }),
    recursive: fc.constant({ inner: { inner: {} } }),
    json: fc.constantFrom<unknown>({ a: [null] }, 'text', null),
    yes: fc.boolean(),
    no: fc.boolean(),
  },
  { requiredKeys: ['intRequired', 'yes', 'no'] },
);

const directive = fc.constantFrom(
  '',
  '',
  '',
  '',
  '',
  ' @skip(if: $yes)',
  ' @include(if: $no)',
  ' @skip(if: false)',
  ' @include(if: false)',
  ' @include(if: $yes) @skip(if: $no)',
  ' @include(if: true)',
);

function argumentText({ name, type }: GraphQLArgument): fc.Arbitrary<string> {
  return fc.constantFrom(...(literals[String(type)] ?? [])).map((value) => `${name}: ${value}`);
}

/** The alias follows from the arguments, so that fields with the same key can be merged. */
function fieldText(name: string, type: GraphQLOutputType, args: readonly GraphQLArgument[], depth: number) {
  const passed = fc.subarray([...args]).chain((used) => fc.tuple(...used.map(argumentText)));
  const named = getNamedType(type);
  const inner = isCompositeType(named) ? selections(named.name, depth - 1).map((set) => ` ${set}`) : fc.constant('');
  return fc.tuple(passed, inner, directive, fc.boolean()).map(([own, set, suffix, hasAlias]) => {
    const text = own.length > 0 ? `${name}(${own.join(', ')})` : name;
    const key = createHash('sha256').update(own.join()).digest('hex').slice(0, 8);
    const alias = own.length > 0 || hasAlias ? `${name}_${key}: ` : '';
    return `${alias}${text}${suffix}${set}`;
  });
}

const fragmentsOn: Record<string, readonly string[]> = {
  Thing: ['name ...ThingParts', 'child { id ...ThingInner }'],
  Box: ['size', 'name things { id failing }'],
  Named: ['name ... on Thing { id }'],
};
const fragments = `
  fragment ThingParts on Thing { id color @include(if: $yes) child { price failing } children { name } }
  fragment ThingInner on Thing { name nothing { id } someFailing { id } }
  fragment NamedParts on Named { name ... on Box { size } ... on Thing { failing } }`;

const known = new Map<string, fc.Arbitrary<string>>();

function selections(typeName: string, depth: number): fc.Arbitrary<string> {
  const key = `${typeName} ${depth}`;
  const made = known.get(key) ?? newSelections(typeName, depth);
  known.set(key, made);
  return made;
}

function newSelections(typeName: string, depth: number): fc.Arbitrary<string> {
  const type = schema.getType(typeName);
  const own = isObjectType(type) || typeName === 'Named' ? Object.values((type as GraphQLObjectType).getFields()) : [];
  const usable = own.filter((field) => depth > 0 || !isCompositeType(getNamedType(field.type)));
  const spreads = Object.keys(fragmentsOn).filter(
    (on) => typeName === on || typeName === 'Named' || typeName === 'Content',
  );
  const members = fc.oneof(
    { weight: 1, arbitrary: fc.constant('__typename') },
    ...usable.map((field) => ({ weight: 1, arbitrary: fieldText(field.name, field.type, field.args, depth) })),
    ...spreads.map((on) => ({
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...(fragmentsOn[on] as string[])), directive)
        .map(([text, suffix]) => `... on ${on}${suffix} { ${text} }`),
    })),
    ...(typeName === 'Thing'
      ? [{ weight: 1, arbitrary: fc.constantFrom('...ThingParts', '...NamedParts @skip(if: $yes)', '... { id }') }]
      : []),
  );
  return fc.array(members, { minLength: 1, maxLength: depth > 2 ? 3 : 4 }).map((all) => `{ ${all.join(' ')} }`);
}

/** An operation with the variables and fragments that it uses. */
function operationText(kind: 'query' | 'mutation', set: string): string {
  const parts = [set];
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const [, text, name] of fragments.matchAll(/(fragment (\w+) .*)/g)) {
      if (parts.includes(text as string) || !parts.some((part) => part.includes(`...${name}`))) continue;
      parts.push(text as string);
      isDone = false;
    }
  }
  const used = Object.entries(variableTypes).filter(([name]) => new RegExp(`\\$${name}\\b`).test(parts.join(' ')));
  const declared = used.map(([name, type]) => `$${name}: ${type}`).join(', ');
  return `${kind} ${declared ? `(${declared}) ` : ''}${parts.join('\n')}`;
}

const state = {
  contextFor: () => ({}),
  ctx: { tenant: { id: 'acme', name: 'Acme', ring: 'stable' } },
} as never as RequestState;
const operations = new Operations();

/** As responses show it. The order of errors is not defined. */
async function runOperation(text: string, variables: object, isCompiled: boolean) {
  total = 0;
  const prepared = { ...operations.prepare(schema, '1', { query: text }, true), uses: isCompiled ? 10 : 0 };
  const { data, errors = [] } = await executeOperation(schema, prepared, variables as never, state);
  const { document } = hoistLiterals(schema, prepared.document, prepared.definition);
  if (isCompiled) expect(prepared.compiled !== false).toBe(isCompilable(schema, document));
  const shown = errors.map((error) => errorText(data, executionError(error, silent, 'request')));
  return { data, errors: [...new Set(shown)].sort() };
}

/** Which of several errors makes a field above them null is not defined, and neither is the text about a variable. */
function errorText(data: unknown, error: GraphqlError): string {
  const { path, extensions } = error;
  if (!path) return extensions.code;
  let value = data as Record<string, unknown> | null | undefined;
  const nulled = path.findIndex((key) => {
    const isNull = value == null;
    value = value?.[key] as typeof value;
    return isNull;
  });
  return nulled >= 0
    ? `an error makes ${path.slice(0, nulled).join('.') || 'data'} null`
    : JSON.stringify({ ...error, locations: [] });
}

function isWithinLimits(text: string): boolean {
  try {
    operations.prepare(schema, '1', { query: text }, true);
    return true;
  } catch (error) {
    if (error instanceof GraphqlRefusal) return false;
    throw error;
  }
}

const run = async (kind: 'query' | 'mutation', set: string, variables: object) => {
  const text = operationText(kind, set);
  expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([]);
  fc.pre(isWithinLimits(text));
  expect(await runOperation(text, variables, true)).toEqual(await runOperation(text, variables, false));
};

test('an operation with variables in objects and lists is compiled', async () => {
  const text = `query ($tag: String!, $min: Money, $color: Color = green) {
    things { echo(filter: { tags: ["a", $tag], min: $min, inner: { color: $color } }, json: { tag: $tag, min: $min }) }
  }`;
  const prepared = { ...operations.prepare(schema, '1', { query: text }, true), uses: 10 };
  for (const variables of [
    { tag: 'b' },
    { tag: 'b', min: '4.50', color: 'red' },
    { tag: 'b', min: null },
    { tag: 7 },
  ]) {
    const compiled = await executeOperation(schema, prepared, variables, state);
    const interpreted = await executeOperation(schema, { ...prepared, compiled: false }, variables, state);
    expect(prepared.compiled, JSON.stringify(variables)).toBeTruthy();
    expect(JSON.parse(JSON.stringify(compiled))).toEqual(JSON.parse(JSON.stringify(interpreted)));
  }
});

test('compiled and interpreted queries have the same result', async () => {
  await fc.assert(
    fc.asyncProperty(selections('Query', 4), values, (set, variables) => run('query', set, variables)),
    { numRuns: 200 },
  );
});

test('compiled and interpreted mutations have the same result and run in order', async () => {
  await fc.assert(
    fc.asyncProperty(selections('Mutation', 2), values, (set, variables) => run('mutation', set, variables)),
    { numRuns: 60 },
  );
});

test('fields of a mutation run in the order in which they are included', async () => {
  const fields = 'late: add @include(if: false) first: add late: add';
  const { results } = await runRepeatedly(`mutation { ${fields} }`);
  for (const result of results) expect(Object.keys(result as object)).toEqual(['first', 'late']);
  const numbers = results.map((result) => (result as { first: number; late: number }).late);
  expect(results.map((result) => (result as { first: number }).first)).toEqual(numbers.map((late) => late - 1));
});

/** The results of the first uses, which are interpreted, and of the following ones. */
async function runRepeatedly(query: string, variables: object = {}) {
  const prepared = operations.prepare(schema, '2', { query }, true);
  const results: unknown[] = [];
  for (let use = 0; use < 5; use++) {
    results.push((await executeOperation(schema, prepared, variables as never, state)).data);
  }
  return { results, isCompiled: Boolean(prepared.compiled) };
}

const fiveTimes = (value: unknown) => Array.from({ length: 5 }, () => value);

test('an operation is compiled when it is used often', async () => {
  const { results, isCompiled } = await runRepeatedly('query ($index: Int) { thing(index: $index) { name } }', {
    index: 0,
  });
  expect(results).toEqual(fiveTimes({ thing: { name: 'Tea' } }));
  expect(isCompiled).toBe(true);
});

test('no text of an operation is executed as code', async () => {
  const code = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d0,globalThis.wasExecuted=1';
  const escaped = code.replaceAll('_', '\\u005f');
  const literals = [`"${code}"`, `"${escaped}"`, `"""${code}"""`];
  const values = literals.flatMap((text) => [`text: ${text}`, `json: { a: [${text}] }`, `filter: { tags: ${text} }`]);
  for (const value of values) await runRepeatedly(`{ thing(index: 0) { echo(${value}) } }`);
  await runRepeatedly(`query ($text: String = "${code}") { thing(index: 0) { echo(text: $text) } }`);
  await runRepeatedly('query ($text: String) { thing(index: 0) { echo(text: $text) } }', { text: code });
  expect(globalThis).not.toHaveProperty('wasExecuted');
  const { results } = await runRepeatedly(`{ thing(index: 0) { echo(text: "${code}") } }`);
  expect(results).toEqual(fiveTimes({ thing: { echo: { text: code, count: 3 } } }));
});

test('a field __proto__ of a literal is a field like others, compiled or not', async () => {
  const { results } = await runRepeatedly('{ thing(index: 0) { echo(json: { __proto__: { a: 1 } }) } }');
  const texts = results.map((result) => JSON.stringify(result));
  expect(new Set(texts)).toEqual(new Set(['{"thing":{"echo":{"json":{"__proto__":{"a":1}},"count":3}}}']));
});

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'a variable named %s is refused',
  async (name) => {
    for (const use of [`$${name}`, `{ a: $${name} }`]) {
      const query = `query ($${name}: JSON) { thing(index: 0) { echo(json: ${use}) } }`;
      await expect(runRepeatedly(query)).rejects.toThrow(`A variable cannot be named ${name}; rename it.`);
    }
  },
);

test('variables within literals keep their values, and missing ones stay missing', async () => {
  const query = `query ($price: Money, $text: String) {
    thing(index: 0) { echo(filter: { inner: { min: $price } }, json: { a: [$price], b: $text }) }
  }`;
  const { results } = await runRepeatedly(query, { price: '2.00' });
  const filter = { color: 'red', inner: { color: 'red', min: '2.00' } };
  expect(results).toEqual(fiveTimes({ thing: { echo: { count: 3, filter, json: { a: ['2.00'] } } } }));
  const echo = { count: 3, filter: { color: 'red', inner: { color: 'red' } }, json: { a: [null] } };
  expect((await runRepeatedly(query)).results).toEqual(fiveTimes({ thing: { echo } }));
});

test('a failed item of a list keeps its place', async () => {
  const { results } = await runRepeatedly('{ thing(index: 0) { someFailing { id } } }');
  expect(results).toEqual(fiveTimes({ thing: { someFailing: [{ id: '0' }, null, null, null] } }));
});

test('a failed item of a list that requires all of them makes the list null', async () => {
  const query = '{ thing(index: 0) { name someFailingRequired { laterFailingRequired } } }';
  const { results } = await runRepeatedly(query);
  expect(results).toEqual(fiveTimes({ thing: { name: 'Tea', someFailingRequired: null } }));
});

test('a recursive input does not exhaust the memory', async () => {
  const query = 'query ($recursive: Recursive) { thing(index: 0) { echo(recursive: $recursive) } }';
  const { results } = await runRepeatedly(query, { recursive: { inner: {} } });
  expect(results).toEqual(fiveTimes({ thing: { echo: { count: 3, recursive: { inner: {} } } } }));
});
