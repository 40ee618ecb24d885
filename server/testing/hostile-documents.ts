/** A document that tries to exhaust the server, or that is merely unusual. */
export interface HostileDocument {
  readonly name: string;
  readonly text: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** The code of the refusal with `hostileSchema`. Undefined: harmless. */
  readonly code: string | undefined;
}

/** The schema that the documents ask for. */
export const hostileSchema = `
  scalar JSON
  interface Node { id: ID! }
  union Result = Order | Customer
  type Order implements Node { id: ID! total: Int customer: Customer items(first: Int = 10): [Order!]! }
  type Customer implements Node { id: ID! name: String orders(first: Int): [Order!]! order(id: ID, note: String): Order }
  type Query {
    self: Query
    order(id: ID, note: String): Order
    orders(first: Int = 20, filter: JSON): [Order!]!
    search(limit: Int!): [Result!]!
    node(id: ID): Node
    count: Int!
    ${times(300, (index) => `orders_report_${index}(input: JSON): JSON`, '\n    ')}
  }
  type Mutation { orders_cancel(input: JSON): JSON }
`;

const parse = 'GRAPHQL_PARSE_FAILED';
const invalid = 'GRAPHQL_VALIDATION_FAILED';
const deep = 'QUERY_TOO_DEEP';
const complex = 'QUERY_TOO_COMPLEX';
const aliases = 'TOO_MANY_ALIASES';
const harmless = undefined;

/** About the maximum size of a request. */
const large = 250_000;

export const hostileDocuments: readonly HostileDocument[] = [
  // Repetition
  document('50,000 repeated fields', parse, `{ ${times(50_000, () => 'a')} }`),
  document('1,000 repeated fields', harmless, `{ ${times(1_000, () => '__typename')} }`),
  document('1,001 repeated fields', complex, `{ ${times(1_001, () => '__typename')} }`),
  document('4,900 repeated fields', complex, `{ ${times(4_900, () => 'count')} }`),
  document('350 repeated objects', harmless, `{ ${times(350, () => 'order(id: 1, note: "x") { id }')} }`),
  document(
    '330 equal objects, each with another space',
    complex,
    `{ ${times(330, (index) => `order${' '.repeat(index)}(id: 1, note: "x") { id }`)} }`,
  ),
  document(
    '140 equal objects in different words',
    harmless,
    `{ ${times(140, (index) => `order(id:${' '.repeat(index)}1) { id }`)} }`,
  ),
  document(
    '250 equal branches of depth four in different words',
    complex,
    `{ ${times(250, (index) => `self {${' '.repeat(index)} self { self { count } } }`)} }`,
  ),
  document('120 conflicting fields', invalid, `{ ${times(120, (index) => `order(id: ${index}) { id }`)} }`),
  document(
    'conflicts below conflicts',
    invalid,
    `{ ${times(100, (index) => `self { order(id: ${index}) { id } count }`)} }`,
  ),
  document('1,200 inline fragments', parse, `{ ${times(1_200, () => '... { count }')} }`),
  document(
    '300 inline fragments in different words',
    harmless,
    `{ ${times(300, (index) => `... {${' '.repeat(index)} count }`)} }`,
  ),
  document('a hundred __typename aliases', aliases, `{ ${times(100, (index) => `a${index}: __typename`)} }`),
  document('30 aliases', harmless, `{ ${times(30, (index) => `a${index}: __typename`)} }`),
  document('31 aliases', aliases, `{ ${times(31, (index) => `a${index}: __typename`)} }`),
  document('1,600 aliases', aliases, `{ ${times(1_600, (index) => `a${index}: count`)} }`),
  document(
    'aliases in a fragment that is spread',
    aliases,
    `{ ${times(16, () => '...F')} } fragment F on Query { a: count b: count }`,
  ),
  document(
    'aliases in an operation that is not executed',
    harmless,
    `query q0 { count } query q1 { ${times(500, (index) => `a${index}: count`)} }`,
  ),
  document('aliases in introspection', aliases, `{ __schema { ${times(31, (index) => `a${index}: description`)} } }`),

  // Nesting
  document('depth of 1,000', parse, `{ ${'self { '.repeat(1_000)} count ${'}'.repeat(1_001)}`),
  document('depth of 60', deep, `{ ${'self { '.repeat(59)} count ${'}'.repeat(60)}`),
  document('depth of 8', deep, `{ ${'self { '.repeat(7)} count ${'}'.repeat(8)}`),
  document('depth of 7', harmless, `{ ${'self { '.repeat(6)} count ${'}'.repeat(7)}`),
  document(
    'depth of 60 in an operation that is not executed',
    harmless,
    `query q0 { count } query q1 { ${'self { '.repeat(59)} count ${'}'.repeat(60)}`,
  ),
  document('inline fragments in 60 inline fragments', harmless, `{ ${'... { '.repeat(60)} count ${'}'.repeat(61)}`),
  document(
    'a list literal of 5,000 levels',
    parse,
    `{ orders(filter: ${'['.repeat(5_000)}${']'.repeat(5_000)}) { id } }`,
  ),
  document(
    'an object literal of 5,000 levels',
    parse,
    `{ orders(filter: ${'{a:'.repeat(5_000)}1${'}'.repeat(5_000)}) { id } }`,
  ),
  document(
    'an object literal of 50 levels',
    harmless,
    `{ orders(filter: ${'{a:'.repeat(50)}1${'}'.repeat(50)}) { id } }`,
  ),
  document(
    'a default value of 5,000 levels',
    parse,
    `query ($a: JSON = ${'['.repeat(5_000)}${']'.repeat(5_000)}) { orders(filter: $a) { id } }`,
  ),
  document('a type of 5,000 lists', parse, `query ($a: ${'['.repeat(5_000)}Int${']'.repeat(5_000)}) { count }`),
  document('a type of 50 lists', invalid, `query ($a: ${'['.repeat(50)}Int${']'.repeat(50)}) { count }`),
  document('5,000 opening brackets', parse, '{'.repeat(5_000)),
  document('5,000 closing brackets', parse, '}'.repeat(5_000)),
  document('brackets of all kinds', parse, '{a(b:[{'.repeat(1_000)),
  document('a deep list in a variable', harmless, 'query ($a: JSON) { orders(filter: $a) { id } }', {
    a: nestedList(5_000),
  }),
  document('a deep list as input of an action', harmless, 'query ($a: JSON) { orders_report_1(input: $a) }', {
    a: nestedList(5_000),
  }),

  // Definitions
  document(
    '2,000 operations',
    parse,
    times(2_000, (index) => `query q${index} { __typename }`),
  ),
  document(
    '20 operations',
    harmless,
    times(20, (index) => `query q${index} { count }`),
  ),
  document(
    '21 operations',
    parse,
    times(21, (index) => `query q${index} { count }`),
  ),
  document(
    '20 anonymous operations',
    invalid,
    times(20, () => '{ count }'),
  ),
  document(
    '20 operations of one name',
    invalid,
    times(20, () => 'query q { count }'),
  ),
  document(
    '20 operations that share 440 variables',
    harmless,
    `${times(20, (index) => `query q${index}($v: ID) { ...F }`)} fragment F on Query { ${times(440, () => 'order(id: $v) { id }')} }`,
  ),
  document(
    '20 operations that share 30 fragments',
    harmless,
    `${times(20, (index) => `query q${index}($v: ID) { ...F0 }`)} ${chain(29, (next) => `...${next} order(id: $v) { id }`)}`,
  ),
  document('1,000 fragments', parse, `{ ...F0 } ${fragments(1_000, () => 'count')}`),
  document('49 fragments with one field', harmless, `{ ${spreads(49)} } ${fragments(49, () => 'count')}`),
  document(
    '49 fragments, each with the same fields',
    harmless,
    `{ ${spreads(49)} } ${fragments(49, () => 'count self { count self { count } }')}`,
  ),
  document(
    '49 fragments with 28 fields of their own',
    harmless,
    `query q0 { count } query q1 { ${spreads(48)} } ${fragments(48, (index) => times(28, (field) => `a${index}_${field}: count`))}`,
  ),
  document('49 unused fragments', invalid, `{ count } ${fragments(49, () => 'count')}`),
  document('fragments of one name', invalid, `{ ...F } ${times(49, () => 'fragment F on Query { count }')}`),
  document(
    'subscriptions',
    invalid,
    times(20, (index) => `subscription s${index} { a b c }`),
  ),
  document(
    'definitions of types',
    invalid,
    times(50, (index) => `type T${index} { a: Int }`),
  ),
  document(
    'descriptions',
    invalid,
    times(50, (index) => `"${'d'.repeat(4_000)}" type T${index} { a: Int }`),
  ),

  // Fragments
  document('a fragment within itself', invalid, '{ ...A } fragment A on Query { count ...A }'),
  document(
    'a cycle of 49 fragments',
    invalid,
    `{ ...F0 } ${fragments(49, (index) => `count ...F${(index + 1) % 49}`)}`,
  ),
  document('fragments that all spread each other', invalid, `{ ...F0 } ${fragments(17, () => spreads(17))}`),
  document(
    'a cycle through a field',
    invalid,
    '{ ...A } fragment A on Query { self { ...B } } fragment B on Query { self { ...A } }',
  ),
  document('exponential spreads', complex, `{ ...F0 } ${chain(48, (next) => `...${next} ... { ...${next} }`)}`),
  document(
    'exponential spreads through fields',
    deep,
    `{ ...F0 } ${chain(48, (next) => `self { ...${next} } ...${next}`)}`,
  ),
  document(
    'exponential spreads of nothing',
    invalid,
    `{ ...F0 } ${fragments(48, (index) => `...F${index + 1} ... { ...F${index + 1} }`)}`,
  ),
  document(
    'exponential spreads that are not executed',
    harmless,
    `query q0 { count } query q1 { ...F0 } ${chain(47, (next) => `self { ...${next} } ...${next}`)}`,
  ),
  document(
    'a chain of deep fragments',
    deep,
    `{ ...F0 } ${chain(48, (next) => `${'self { '.repeat(30)} ...${next} ${'}'.repeat(30)}`)}`,
  ),
  document(
    'a chain of deep fragments that is not executed',
    complex,
    `query q0 { count } query q1 { ...F0 } ${chain(47, (next) => `${'self { '.repeat(30)} ...${next} ${'}'.repeat(30)}`)}`,
  ),
  document(
    'two deep chains of aliases that are compared',
    harmless,
    `query q0 { count } query q1 { ...A0 ...B0 } ${['A', 'B'].map((name) => chain(22, (next, index) => `${times(18, (level) => `a${index}_${level}: self {`)} ...${next} ${'}'.repeat(18)}`, name)).join(' ')}`,
  ),
  document(
    'six sets that each spread 48 fragments',
    harmless,
    `query q0 { count } query q1 { ${times(6, (index) => `self {${' '.repeat(index)} ${spreads(48)} }`)} } ${fragments(48, (index) => `a${index}: count`)}`,
  ),
  document(
    '24 fragments that spread those after them',
    harmless,
    `query q0 { count } query q1 { ...F0 } ${fragments(24, (index) => `count self { count ${times(23 - index, (next) => `...F${index + next + 1}`)} }`)}`,
  ),
  document('unknown fragments', invalid, `{ ${spreads(300)} }`),
  document('1,000 unknown fragments', parse, `{ ${spreads(1_000)} }`),
  document(
    'fragments on unknown types',
    invalid,
    `{ ${spreads(49)} } ${times(49, (index) => `fragment F${index} on T${index} { a }`)}`,
  ),
  document(
    'fragments on types that never match',
    invalid,
    `{ ${times(200, () => '... on Order { id }')} search(limit: 1) { ... on Query { count } } }`,
  ),

  // Complexity
  document('a page of 1,001', complex, '{ search(limit: 1001) { __typename } }'),
  document('a page of 500', harmless, '{ search(limit: 500) { __typename } }'),
  document('a page of 501', complex, '{ search(limit: 501) { __typename } }'),
  document('pages in pages', complex, '{ orders { items { items { id } } } }'),
  document('a page of 10^300', complex, `{ orders(first: 1${'0'.repeat(300)}) { id } }`),
  document('a page of infinity', complex, '{ orders(first: 1e999) { id } }'),
  document('a negative page', harmless, '{ orders(first: -1000) { id } }'),
  document('a page in a variable', complex, 'query ($n: Int) { orders(first: $n) { id } }', { n: 501 }),
  document('a page in the input of an action', complex, '{ orders_report_1(input: { per_page: 1001 }) }'),
  document('a page in a variable of an action', complex, 'query ($i: JSON) { orders_report_1(input: $i) }', {
    i: { limit: 1001 },
  }),
  document('a page that is no number', invalid, '{ orders(first: "1000") { id } }'),
  document('a variable without a definition', invalid, '{ orders(first: $n) { id } }', { n: 2 }),

  // Values, arguments, variables and directives
  document('5,000 directives on a field', parse, `{ count ${times(5_000, () => '@include(if: true)')} }`),
  document('200 directives on a field', invalid, `{ count ${times(200, () => '@include(if: true)')} }`),
  document('200 unknown directives', invalid, `{ count ${times(200, (index) => `@d${index}`)} }`),
  document('directives on everything', parse, `query @a { ${times(1_000, () => 'count @skip(if: false)')} }`),
  document('fields that are skipped', complex, `{ ${times(100, () => 'orders(first: 10) @skip(if: true) { id }')} }`),
  document('1,300 variables', parse, `query (${times(1_300, (index) => `$v${index}: Int`)}) { count }`),
  document('1,000 unused variables', invalid, `query (${times(1_000, (index) => `$v${index}: Int`)}) { count }`),
  document('variables of one name', invalid, `query (${times(1_000, () => '$v: Int')}) { count }`),
  document('variables without definitions', invalid, `{ ${times(200, (index) => `order(id: $v${index}) { id }`)} }`),
  document(
    'unused variables in the request',
    harmless,
    '{ count }',
    Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`v${index}`, index])),
  ),
  document(
    'names of JavaScript',
    invalid,
    'query ($__proto__: Int, $constructor: JSON) { constructor hasOwnProperty orders(first: $__proto__) { toString } orders_report_1(input: $constructor) ...valueOf }',
  ),
  document('1,600 arguments', invalid, `{ order(${times(1_600, () => 'id: 1')}) { id } }`),
  document('1,600 arguments, one per line', invalid, `{ order(${times(1_600, () => 'id: 1', '\n')}) { id } }`),
  document('1,600 unknown arguments', invalid, `{ order(${times(1_600, (index) => `a${index}: 1`)}) { id } }`),
  document(
    'an object literal with 1,600 equal fields',
    invalid,
    `{ orders(filter: { ${times(1_600, () => 'a: 1')} }) { id } }`,
  ),
  document('a list literal with 4,900 items', harmless, `{ orders(filter: [${times(4_900, () => '1')}]) { id } }`),
  document('4,900 unknown fields', complex, `{ ${times(4_900, (index) => `unknown${index}`)} }`),
  document(
    '1,000 fields with nearly the names of others',
    invalid,
    `{ ${times(1_000, (index) => `orders_raport_${index}`)} }`,
  ),
  document('selections of a scalar', invalid, `{ ${times(500, () => 'count { id }')} }`),

  // Introspection
  document(
    'introspection of introspection',
    complex,
    `{ __schema { types { ${'fields { type { '.repeat(20)} name ${'} }'.repeat(20)} } } }`,
  ),
  document(
    'introspection 29 times',
    complex,
    `{ ${times(29, (index) => `a${index}: __schema { types { fields { name } } }`)} }`,
  ),
  document('introspection of 501 fields', complex, `{ __schema { ${times(500, () => 'description')} } }`),
  document(
    'introspection by fragments',
    complex,
    `{ __schema { types { ...F0 } } } ${times(30, (index) => `fragment F${index} on __Type { ofType { ...F${index + 1} } ...F${index + 1} }`)} fragment F30 on __Type { name }`,
  ),
  document(
    'nested types of types',
    harmless,
    `{ __type(name: "Query") { ${'ofType { '.repeat(50)} name ${'}'.repeat(50)} } }`,
  ),
  document('introspection below a field', invalid, '{ self { order { __schema { types { name } } } } }'),

  // Characters
  document('an empty document', parse, ''),
  document('only spaces', parse, ' '.repeat(large)),
  document('only newlines', parse, '\n'.repeat(large)),
  document('only commas', parse, ','.repeat(large)),
  document('newlines before errors', parse, `${'\n'.repeat(large)}{ ${times(100, (index) => `unknown${index}`)} }`),
  document('only byte order marks', parse, '\uFEFF'.repeat(80_000)),
  document('a byte order mark at the beginning', harmless, '\uFEFF{ count }'),
  document('comments', parse, `${'#\n'.repeat(100_000)}{ count }`),
  document('a long comment', harmless, `#${'c'.repeat(large)}\n{ count }`),
  document('a long name', parse, `{ ${'a'.repeat(large)} }`),
  document('a long name of an operation', parse, `query ${'a'.repeat(large)} { count }`),
  document('a long string', harmless, `{ order(note: "${'s'.repeat(large)}") { id } }`),
  document('a long string in place of a number', invalid, `{ orders(first: "${'s'.repeat(large)}") { id } }`),
  document('a long string in place of a name', parse, `{ "${'s'.repeat(large)}" }`),
  document('a string of escapes', harmless, `{ order(note: "${'\\u{1F600}'.repeat(25_000)}") { id } }`),
  document('a long block string', harmless, `{ order(note: """${'s'.repeat(large)}""") { id } }`),
  document('a block string of newlines', parse, `{ order(note: """${'\n'.repeat(large)}""") { id } }`),
  document('a block string of quotes', harmless, `{ order(note: """${'\\"""'.repeat(60_000)}""") { id } }`),
  document('1,000 empty block strings', invalid, `{ order(note: [${times(1_000, () => '""""""')}]) { id } }`),
  document('a string that does not end', parse, `{ order(note: "${'s'.repeat(large)}`),
  document('a block string that does not end', parse, `{ order(note: """${'"\n'.repeat(large / 2)}`),
  document('a selection that does not end', parse, `{ ${times(4_000, () => 'count')}`),
  document('a lone surrogate', parse, '{ order(note: "\uD800") { id } }'),
  document('an escaped lone surrogate', parse, '{ order(note: "\\uD800") { id } }'),
  document('a code point that does not exist', parse, '{ order(note: "\\u{110000}") { id } }'),
  document('a code point of a million digits', parse, `{ order(note: "\\u{${'0'.repeat(large)}}") { id } }`),
  document('a control character', parse, '{ count \u0000 }'),
  document('control characters', parse, '\u0007'.repeat(1_000)),
  document('a name in other letters', parse, '{ сount }'),
  document('an emoji in a string', harmless, '{ order(note: "🙂") { id } }'),
  document('a number of 250,000 digits', harmless, `{ order(id: ${'9'.repeat(large)}) { id } }`),
  document('a page of 250,000 digits', complex, `{ orders(first: ${'9'.repeat(large)}) { id } }`),
  document('a number that is too large for Int', invalid, '{ search(limit: -99999999999) { __typename } }'),
  document('a number with leading zeros', parse, '{ orders(first: 007) { id } }'),
  document('a number followed by a name', parse, '{ orders(first: 1x) { id } }'),
  document('HTML', parse, `<script>${'alert(1);'.repeat(1_000)}</script>`),
  document('JSON', parse, JSON.stringify({ query: '{ count }' })),
  document('only punctuation', parse, '!$&()...:=@[]{|}'.repeat(1_000)),
];

function document(
  name: string,
  code: string | undefined,
  text: string,
  variables?: Readonly<Record<string, unknown>>,
): HostileDocument {
  return { name, code, text, ...(variables && { variables }) };
}

function times(count: number, text: (index: number) => string, separator = ' '): string {
  return Array.from({ length: count }, (_, index) => text(index)).join(separator);
}

/** The spreads of `fragments`. */
function spreads(count: number): string {
  return times(count, (index) => `...F${index}`);
}

function fragments(count: number, selections: (index: number) => string): string {
  return times(count, (index) => `fragment F${index} on Query { ${selections(index)} }`);
}

/** Fragments that each spread the next one, and a last one. */
function chain(count: number, selections: (next: string, index: number) => string, name = 'F'): string {
  const links = times(
    count,
    (index) => `fragment ${name}${index} on Query { ${selections(`${name}${index + 1}`, index)} }`,
  );
  return `${links} fragment ${name}${count} on Query { count }`;
}

function nestedList(levels: number): unknown {
  let list: unknown = [];
  for (let level = 1; level < levels; level++) list = [list];
  return list;
}
