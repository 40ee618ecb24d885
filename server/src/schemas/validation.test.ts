import { Currency, isIn, since, sql, TimestampInput, type TSchema, Type } from '@chowk/kit/kernel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileBody, compileText } from './validation.ts';

/** The messages by field. */
function listErrors(schema: TSchema, value: unknown) {
  const errors = compileBody(schema)(value);
  if (!errors) return undefined;
  return Object.fromEntries(Object.entries(errors).map(([field, list]) => [field, list.map(({ message }) => message)]));
}

/** A valid value without its unknown fields. */
function stripped(schema: TSchema, value: unknown): unknown {
  expect(listErrors(schema, value)).toBeUndefined();
  return value;
}

test.each([
  [Type.String(), 5, 'The first name must be a string.'],
  [Type.Integer(), '5', 'The first name must be an integer.'],
  [Type.Number(), null, 'The first name must be a number.'],
  [Type.Boolean(), 'true', 'The first name must be a boolean.'],
  [Type.Array(Type.String()), 'a', 'The first name must be an array.'],
  [Type.String({ minLength: 1 }), '', 'The first name must not be empty.'],
  [Type.String({ minLength: 3 }), 'ab', 'The first name must have at least 3 characters.'],
  [Type.String({ maxLength: 3 }), 'abcd', 'The first name must have at most 3 characters.'],
  [Type.String({ pattern: '^a' }), 'b', 'The first name has a format or a character that is not allowed.'],
  [
    Type.String({ pattern: '^[A-Z]{3}$', description: 'Three letters, such as INR.' }),
    'b',
    'The first name must have this format: three letters, such as INR.',
  ],
  [
    Type.String({ pattern: '^[^\\p{Cc}]*$' }),
    'a\nb',
    'The first name must not have line breaks or other control characters.',
  ],
  [
    Type.String({ pattern: '^[^,\\p{Cc}]{1,50}$' }),
    'a,b',
    'The first name must not have commas, line breaks or other control characters.',
  ],
  [Type.String({ pattern: '^[^\\0]*$' }), 'a\0', 'The first name must not have NUL characters.'],
  [
    since(sql`at`).schema,
    'yesterday',
    'The first name must have this format: a time, such as 2026-01-31T09:30:00Z, ' +
      "or a day in the tenant's time zone, such as 2026-01-31.",
  ],
  [Type.String({ format: 'email' }), 'b', 'The first name must be a valid email.'],
  [Type.String({ format: 'uuid' }), 'b', 'The first name must be a valid uuid.'],
  [
    Type.String({ format: 'date-time' }),
    'today',
    'The first name must be a valid date-time, such as 2026-01-31T09:30:00Z.',
  ],
  [
    Type.String({ format: 'time-zone' }),
    'Mars/Base',
    'The first name must be a valid time zone, such as Asia/Kolkata.',
  ],
  [Type.String({ format: 'time-zone' }), '+05:30', 'The first name must be a valid time zone, such as Asia/Kolkata.'],
  [Currency, 'XYZ', 'The first name must be a valid ISO 4217 currency, such as INR.'],
  [Type.Integer({ minimum: 1 }), 0, 'The first name must be at least 1.'],
  [Type.Integer({ maximum: 1 }), 2, 'The first name must be at most 1.'],
  [Type.Array(Type.String(), { minItems: 1 }), [], 'The first name must have at least 1 entry.'],
  [Type.Array(Type.String(), { maxItems: 1 }), ['a', 'b'], 'The first name must have at most 1 entry.'],
  [Type.Enum(['asc', 'desc']), 'up', 'The first name must be one of asc, desc.'],
  [Type.Union([Type.String(), Type.Null()]), 5, 'The first name must be a string.'],
  [Type.Union([Type.String({ maxLength: 3 }), Type.Null()]), 'long', 'The first name must have at most 3 characters.'],
  [Type.Union([Type.String(), Type.Boolean(), Type.Null()]), 5, 'The first name has no allowed format.'],
])('an error message is a sentence with the name of the field: %j %j', (schema, value, sentence) => {
  expect(listErrors(Type.Object({ first_name: schema }), { first_name: value })).toEqual({ first_name: [sentence] });
});

test('every kind of error has its own code', () => {
  const schema = Type.Object({
    missing: Type.String(),
    type: Type.Integer(),
    short: Type.String({ minLength: 3 }),
    blank: Type.String({ notBlank: true }),
    long: Type.String({ maxLength: 3 }),
    small: Type.Integer({ minimum: 3 }),
    large: Type.Integer({ maximum: 3 }),
    few: Type.Array(Type.Integer(), { minItems: 1 }),
    many: Type.Array(Type.Integer(), { maxItems: 1 }),
    choice: Type.Enum(['a', 'b']),
    form: Type.String({ format: 'email' }),
    pattern: Type.String({ pattern: '^a' }),
    money: Type.Unsafe({ type: ['string', 'number'], money: true }),
    union: Type.Union([Type.Integer(), Type.Boolean(), Type.Null()]),
  });
  const value = {
    type: 'x',
    short: 'a',
    blank: ' ',
    long: 'abcd',
    small: 1,
    large: 5,
    few: [],
    many: [1, 2],
    choice: 'c',
    form: 'x',
    pattern: 'b',
    money: '1.2345',
    union: 'x',
  };
  const errors = Object.entries(compileBody(schema)(value) ?? {});
  expect(Object.fromEntries(errors.map(([field, list]) => [field, list.map(({ code }) => code)]))).toEqual({
    missing: ['required'],
    type: ['wrong_type'],
    short: ['too_short'],
    blank: ['too_short'],
    long: ['too_long'],
    small: ['too_small'],
    large: ['too_large'],
    few: ['too_few'],
    many: ['too_many'],
    choice: ['not_allowed'],
    form: ['invalid'],
    pattern: ['invalid'],
    money: ['invalid'],
    union: ['invalid'],
  });
});

test('a missing field is reported with its full path', () => {
  const schema = Type.Object({
    a: Type.Object({ b_c: Type.String() }),
    list: Type.Array(Type.Object({ d: Type.Null() })),
  });
  expect(listErrors(schema, { a: {}, list: [{}] })).toEqual({
    'a.b_c': ['The b c is required.'],
    'list.0.d': ['The d is required.'],
  });
});

test('all errors of all fields are reported', () => {
  const schema = Type.Object({
    a: Type.String({ minLength: 3, pattern: '^x' }),
    b: Type.Array(Type.Integer()),
  });
  const errors = listErrors(schema, { a: 'y', b: [1, 'two', 3, 'four'] });
  expect(Object.keys(errors ?? {}).sort()).toEqual(['a', 'b.1', 'b.3']);
  expect(errors?.a).toHaveLength(2);
});

test.each(['constructor', 'toString', 'hasOwnProperty', 'a/b', 'a~b', 'a.b', '', 'anyOf'])(
  'a field may have any name: %j',
  (name) => {
    const schema = Type.Record(Type.String(), Type.Integer());
    expect(Object.keys(listErrors(schema, { [name]: 'x' }) ?? {})).toHaveLength(1);
    expect(stripped(schema, { [name]: 1 })).toEqual({ [name]: 1 });
  },
);

test('a field named like a JSON Schema keyword is validated', () => {
  const schema = Type.Object({ anyOf: Type.Object({ 0: Type.Integer() }) });
  expect(listErrors(schema, { anyOf: { 0: 'x' } })).toMatchObject({ 'anyOf.0': [expect.any(String)] });
});

test('a value that matches no branch of a large union gets one error', () => {
  const fields = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, Type.Integer()]));
  const schema = Type.Union([Type.Object(fields), Type.Object({ ...fields, more: Type.String() })]);
  expect(listErrors(schema, {})).toEqual({ body: ['The body has no allowed format.'] });
});

test('the number of reported errors is limited', () => {
  const schema = Type.Array(Type.Integer());
  expect(Object.keys(listErrors(schema, Array(1_000).fill('x')) ?? {})).toHaveLength(50);
  expect(Object.keys(listErrors(schema, Array(100_000).fill('x')) ?? {})).toHaveLength(1);
});

test('a long field name is validated in linear time', () => {
  const name = `${'a'.repeat(500_000)}.!`;
  const before = process.threadCpuUsage();
  expect(listErrors(Type.Record(Type.String(), Type.Integer()), { [name]: 'x' })).toBeTypeOf('object');
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(250);
});

test('numbers must be finite', () => {
  for (const value of [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN]) {
    expect(listErrors(Type.Number(), value)).toBeDefined();
    expect(listErrors(Type.Integer(), value)).toBeDefined();
  }
  const query = compileText(Type.Object({ n: Type.Number() }));
  for (const text of ['Infinity', '-Infinity', '1e999', 'NaN']) expect(query({ n: text })).toHaveProperty('n');
});

test('text of a query is converted to the type in the schema, values of a body are not', () => {
  const schema = Type.Object({ n: Type.Integer(), ok: Type.Boolean(), list: Type.Array(Type.Integer()) });
  const query = { n: '5', ok: 'false', list: '7' };
  expect(compileText(schema)(query)).toBeUndefined();
  expect(query).toEqual({ n: 5, ok: false, list: [7] });
  expect(Object.keys(listErrors(schema, { n: '5', ok: 'false', list: '7' }) ?? {})).toEqual(['n', 'ok', 'list']);
});

test('defaults are filled in', () => {
  const schema = Type.Object({
    page: Type.Integer({ default: 1 }),
    inner: Type.Object({ a: Type.String({ default: 'x' }) }),
  });
  expect(stripped(schema, { inner: {} })).toEqual({ page: 1, inner: { a: 'x' } });
});

test('in a union the fields of the matching branch are kept', () => {
  const schema = Type.Object({
    recipient: Type.Union([
      Type.Literal('customer'),
      Type.Object({ user_id: Type.Integer() }),
      Type.Object({ role: Type.String() }),
    ]),
  });
  expect(stripped(schema, { recipient: { role: 'Agent', user_id: 'x', more: 1 } })).toEqual({
    recipient: { role: 'Agent' },
  });
  expect(stripped(schema, { recipient: { user_id: 5, more: 1 } })).toEqual({ recipient: { user_id: 5 } });
  expect(stripped(schema, { recipient: 'customer', more: 1 })).toEqual({ recipient: 'customer' });
});

test('in an intersection the fields of all parts are kept', () => {
  const schema = Type.Intersect([Type.Object({ a: Type.Integer() }), Type.Object({ b: Type.Integer() })]);
  expect(stripped(schema, { a: 1, b: 2, c: 3 })).toEqual({ a: 1, b: 2 });
});

test('alternatives beside the fields require some of them and remove none', () => {
  const either = { anyOf: [{ required: ['email'] }, { required: ['phone'] }] };
  const fields = { email: Type.Optional(Type.String()), phone: Type.Optional(Type.String()) };
  const schema = Type.Object({ ...fields, name: Type.Optional(Type.String()) }, either);
  expect(stripped(schema, { phone: '5', name: 'x', more: 1 })).toEqual({ phone: '5', name: 'x' });
  expect(listErrors(schema, { name: 'x' })).toEqual({ body: ['The body has no allowed format.'] });
});

test('a map keeps only the entries whose keys are allowed', () => {
  const schema = Type.Record(Type.String({ pattern: '^[a-z]+$' }), Type.Object({ n: Type.Integer() }));
  expect(stripped(schema, { ok: { n: 1, more: 2 }, 'NOT OK': 'anything' })).toEqual({ ok: { n: 1 } });
  expect(stripped(Type.Record(Type.String(), Type.Integer()), { 'a\nb': { evil: true } })).toEqual({});
});

test('additional fields with a schema are kept', () => {
  const schema = Type.Object({ a: Type.Integer() }, { additionalProperties: Type.Object({ n: Type.Integer() }) });
  expect(stripped(schema, { a: 1, b: { n: 2, more: 3 } })).toEqual({ a: 1, b: { n: 2 } });
  expect(listErrors(schema, { a: 1, b: 2 })).toHaveProperty('b');
});

test('a schema can refuse unknown fields', () => {
  const schema = Type.Object({ a: Type.Object({ b: Type.Integer() }, { additionalProperties: false }) });
  expect(compileBody(schema)({ a: { b: 1, c: 2, d: 3 }, more: 4 })).toEqual({
    'a.c': [{ code: 'unknown', message: 'The c is unknown.' }],
    'a.d': [{ code: 'unknown', message: 'The d is unknown.' }],
  });
});

test('values without a schema are kept unchanged', () => {
  expect(stripped(Type.Object({ metadata: Type.Unknown() }), { metadata: { any: [{ thing: 1 }] }, more: 1 })).toEqual({
    metadata: { any: [{ thing: 1 }] },
  });
});

test('a schema whose unknown fields cannot be determined is refused at compile time', () => {
  expect(() =>
    compileBody(Type.Cyclic({ Node: Type.Object({ next: Type.Optional(Type.Ref('Node')) }) }, 'Node')),
  ).toThrow();
  const mixed = { anyOf: [Type.Object({ b: Type.String() }), Type.Object({ c: Type.String() })] };
  expect(() => compileBody(Type.Object({ a: Type.String() }, mixed))).toThrow(/union/);
});

const names = ['a', 'b', 'c'] as const;

interface Sample {
  readonly schema: TSchema;
  /** Whether the value contains only fields of the schema. */
  holdsOnly(value: unknown): boolean;
}

/** Random schemas, each with an independent check for unknown fields. */
const samples: fc.Arbitrary<Sample> = fc.letrec<{
  any: Sample;
  leaf: Sample;
  list: Sample;
  object: Sample;
  union: Sample;
}>((tie) => ({
  any: fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie('leaf'), tie('object'), tie('list'), tie('union')),
  leaf: fc.constantFrom(
    { schema: Type.Integer(), holdsOnly: Number.isInteger },
    { schema: Type.String(), holdsOnly: (value: unknown) => typeof value === 'string' },
    { schema: Type.Null(), holdsOnly: (value: unknown) => value === null },
  ),
  list: tie('any').map(({ schema, holdsOnly }) => ({
    schema: Type.Array(schema),
    holdsOnly: (value) => Array.isArray(value) && value.every(holdsOnly),
  })),
  object: fc.dictionary(fc.constantFrom(...names), tie('any'), { maxKeys: 3 }).map((fields) => ({
    schema: Type.Object(
      Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, Type.Optional(schema)])),
    ),
    holdsOnly: (value) =>
      typeof value === 'object' &&
      value !== null &&
      Object.entries(value).every(([name, inner]) => Object.hasOwn(fields, name) && fields[name]?.holdsOnly(inner)),
  })),
  union: fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((branches) => ({
    schema: Type.Union(branches.map(({ schema }) => schema)),
    holdsOnly: (value) => branches.some(({ holdsOnly }) => holdsOnly(value)),
  })),
})).any;

const values = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(1, 'x', null, 1.5),
    fc.dictionary(fc.constantFrom(...names, 'unknown', 'constructor'), tie('any'), { maxKeys: 4 }),
    fc.array(tie('any'), { maxLength: 3 }),
  ),
})).any;

test('a valid value contains only fields of its schema afterwards and is still valid', () => {
  let accepted = 0;
  fc.assert(
    fc.property(samples, fc.array(values, { minLength: 1, maxLength: 20 }), ({ schema, holdsOnly }, candidates) => {
      const validate = compileBody(schema);
      for (const value of candidates) {
        if (validate(value)) continue;
        accepted += 1;
        expect(holdsOnly(value)).toBe(true);
        expect(validate(value)).toBeUndefined();
      }
    }),
    { numRuns: 100 },
  );
  expect(accepted).toBeGreaterThan(10);
});

test('an invalid choice is reported with its parameter, together with other errors', () => {
  const { schema } = isIn(['open', 'closed'], sql`c.state`);
  const read = compileText(Type.Object({ last_state: schema, page: Type.Integer() }));
  const errors = [{ code: 'not_allowed', message: 'The last state must be one of open, closed.' }];
  for (const last_state of ['lost', 'open,lost', ['open', 'lost'], '', ',']) {
    expect(read({ last_state, page: 'x' })).toMatchObject({ last_state: errors, page: [{ code: 'wrong_type' }] });
  }
  expect(read({ last_state: 'closed, open', page: '1' })).toBeUndefined();
});

test.each([
  ['2026-01-02T03:04:05.678912+05:30', '2026-01-01T21:34:05.678Z'],
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
])('the time %s is converted to %s', (at, expected) => {
  expect(stripped(Type.Object({ at: TimestampInput }), { at })).toEqual({ at: expected });
});

test.each([
  'yesterday',
  '2026-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-05:00',
  '2016-12-31T23:59:60Z',
])('%s is refused as a time', (at) => {
  expect(listErrors(Type.Object({ at: TimestampInput }), { at })).toEqual({
    at: ['The at must be a valid date-time, such as 2026-01-31T09:30:00Z.'],
  });
});
