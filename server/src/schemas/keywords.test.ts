import {
  Default,
  Email,
  Line,
  MoneyInput,
  NewPassword,
  NullableEmail,
  NullableLine,
  NullableMoneyInput,
  NullableText,
  Tags,
  Text,
  TimestampInput,
  type TSchema,
  Type,
  updateSchema,
} from '@chowk/kit/kernel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileBody, compileText } from './validation.ts';

/** The normalized value, or the error codes. */
function normalize(schema: TSchema, value: unknown): unknown {
  const input = { field: value };
  const errors = compileBody(Type.Object({ field: schema }))(input);
  return errors ? errors.field?.map(({ code }) => code) : input.field;
}

const refused = (...codes: string[]) => codes;

test.each([
  ['  Asha ', 'Asha'],
  ['Asha  Rao', 'Asha  Rao'],
  ['\u00a0Asha\ufeff', 'Asha'],
  ['abcde  ', 'abcde'],
  ['abcdefghijk', refused('too_long')],
  ['  ', refused('too_short')],
  ['', refused('too_short')],
  ['a\nb', refused('invalid')],
  ['\n a \n', 'a'],
  ['\ud800', refused('invalid')],
  [null, refused('wrong_type')],
  [5, refused('wrong_type')],
])('a line is trimmed before its length is checked: %j', (value, expected) => {
  expect(normalize(Line(10), value)).toEqual(expected);
});

test.each([
  ['  ', null],
  ['', null],
  [null, null],
  [' x ', 'x'],
  ['12345678901', refused('too_long')],
  [5, refused('wrong_type')],
])('an empty line becomes null if null is allowed: %j', (value, expected) => {
  expect(normalize(NullableLine(10), value)).toEqual(expected);
});

test.each([
  ['  a\nb ', '  a\nb '],
  [' \n\t ', refused('too_short')],
  ['', refused('too_short')],
  ['a\0', refused('invalid')],
])('text is kept unchanged, and blank text is refused: %j', (value, expected) => {
  const result = normalize(Text(10), value);
  expect(Array.isArray(result) ? [...new Set(result)] : result).toEqual(expected);
});

test.each([
  [' \n ', null],
  ['', null],
  [' a ', ' a '],
])('blank text becomes null if null is allowed: %j', (value, expected) => {
  expect(normalize(NullableText(10), value)).toBe(expected);
});

test.each([
  [' Asha@Example.COM ', 'asha@example.com'],
  ['asha@example', refused('invalid')],
  ['', refused('invalid')],
  [`${'a'.repeat(250)}@example.com`, refused('too_long', 'invalid')],
])('an email address is converted to lower case: %j', (value, expected) => {
  const result = normalize(Email, value);
  if (Array.isArray(expected)) expect(expected).toEqual(expect.arrayContaining(result as string[]));
  else expect(result).toBe(expected);
});

test('an empty email address becomes null if null is allowed', () => {
  expect(normalize(NullableEmail, ' ')).toBeNull();
  expect(normalize(NullableEmail, ' A@b.co ')).toBe('a@b.co');
  expect(normalize(NullableEmail, 'invalid')).toEqual(refused('invalid'));
});

test.each([
  [5, '5.00'],
  ['5', '5.00'],
  [' 007.5 ', '7.50'],
  [19.99, '19.99'],
  [0, '0.00'],
  ['1.234', '1.234'],
  [0.001, '0.001'],
  ['1.230', '1.23'],
  [-1, refused('invalid')],
  ['1.2345', refused('invalid')],
  [1e10, refused('invalid')],
  ['', refused('invalid')],
  [null, refused('wrong_type')],
  [true, refused('wrong_type')],
  [[5], refused('wrong_type')],
])('an amount is normalized to two or three decimals: %j', (value, expected) => {
  expect(normalize(MoneyInput, value)).toEqual(expected);
});

test('a nullable amount accepts null, and a query is normalized like a body', () => {
  expect(normalize(NullableMoneyInput, null)).toBeNull();
  const query = { min: '5', max: '7.5' };
  const schema = Type.Object({ min: MoneyInput, max: MoneyInput });
  expect(compileText(schema)(query)).toBeUndefined();
  expect(query).toEqual({ min: '5.00', max: '7.50' });
});

test.each([
  ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
  ['2026-01-31T09:30:00.123456+05:30', '2026-01-31T04:00:00.123Z'],
  ['2026-01-31', refused('invalid')],
  ['2026-02-30T00:00:00Z', refused('invalid')],
  ['yesterday', refused('invalid')],
])('a time is converted to UTC: %j', (value, expected) => {
  const result = normalize(TimestampInput, value);
  expect(Array.isArray(result) ? [...new Set(result)] : result).toEqual(expected);
});

test('tags are trimmed and duplicates removed', () => {
  expect(normalize(Tags, [' tea', 'Tea', 'tea ', '茶', 'tea'])).toEqual(['tea', 'Tea', '茶']);
  const errors = compileBody(Type.Object({ tags: Tags }))({ tags: ['ok', ' ', 'a,b', '\ud800'] });
  expect(Object.keys(errors ?? {})).toEqual(['tags.1', 'tags.2', 'tags.3']);
});

test('fields are normalized in lists, objects and maps', () => {
  const value = { list: [{ name: ' a ' }], map: { x: ' b ' } };
  const schema = Type.Object({
    list: Type.Array(Type.Object({ name: Line(5) })),
    map: Type.Record(Type.String(), Line(5)),
  });
  expect(compileBody(schema)(value)).toBeUndefined();
  expect(value).toEqual({ list: [{ name: 'a' }], map: { x: 'b' } });
});

test('a value without a parent object is checked but cannot be normalized', () => {
  expect(compileBody(Line(5))(' abc ')).toBeUndefined();
  expect(compileBody(MoneyInput)('x')).toHaveProperty('body');
});

test('fields are normalized even if another field is invalid', () => {
  const value = { name: ' Asha ', email: ' A@B.co ', price: 5, count: 'many' };
  const schema = Type.Object({ name: Line(5), email: Email, price: MoneyInput, count: Type.Integer() });
  expect(Object.keys(compileBody(schema)(value) ?? {})).toEqual(['count']);
  expect(value).toEqual({ name: 'Asha', email: 'a@b.co', price: '5.00', count: 'many' });
});

test('an update has the rules of the fields without their defaults', () => {
  const New = Type.Object({ name: Line(5), note: Default(NullableLine(5), null), tags: Default(Tags, []) });
  const changes = { note: ' ' };
  expect(compileBody(updateSchema(New))(changes)).toBeUndefined();
  expect(changes).toEqual({ note: null });
  expect(compileBody(updateSchema(New))({ name: '' })).toHaveProperty('name');
});

const kinds: Record<string, { schema: TSchema; isNormalized(value: unknown): boolean }> = {
  line: { schema: Line(10), isNormalized: (value) => value === String(value).trim() && value !== '' },
  nullableLine: {
    schema: NullableLine(10),
    isNormalized: (value) => value === null || (value !== '' && value === String(value).trim()),
  },
  text: { schema: Text(10), isNormalized: (value) => String(value).trim() !== '' },
  nullableText: { schema: NullableText(10), isNormalized: (value) => value === null || String(value).trim() !== '' },
  email: { schema: Email, isNormalized: (value) => value === String(value).trim().toLowerCase() },
  money: { schema: MoneyInput, isNormalized: (value) => /^\d{1,10}\.\d\d[1-9]?$/.test(String(value)) },
  nullableMoney: {
    schema: NullableMoneyInput,
    isNormalized: (value) => value === null || /^\d+\.\d\d[1-9]?$/.test(String(value)),
  },
  timestamp: {
    schema: TimestampInput,
    isNormalized: (value) => /^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/.test(String(value)),
  },
  tags: {
    schema: Tags,
    isNormalized: (value) =>
      Array.isArray(value) && new Set(value).size === value.length && value.every((tag) => tag === tag.trim()),
  },
};
const spaced = fc
  .tuple(
    fc.constantFrom('', ' ', '\n', '\u00a0'),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom('', ' ', '\t'),
  )
  .map((parts) => parts.join(''));
const anything = fc.oneof(
  spaced,
  fc.emailAddress().map((address) => ` ${address.toUpperCase()} `),
  fc.constantFrom('ΑΣ', 'İ', 'ẞ', 'ǅ'),
  fc.integer({ min: -5, max: 2_000_000 }).map((cents) => cents / 100),
  fc.integer({ min: 0, max: 200_000 }).map((cents) => ` 0${cents / 100} `),
  fc.date({ noInvalidDate: true }).map((at) => at.toISOString().replace('Z', '+05:30')),
  fc.date({ min: new Date(0), max: new Date('2999-01-01'), noInvalidDate: true }).map((at) => at.toISOString()),
  fc.array(spaced, { maxLength: 5 }),
  fc.constant(null),
  fc.boolean(),
);

test.each(Object.entries(kinds))('normalizing twice gives the same result: %s', (_, { schema, isNormalized }) => {
  const validate = compileBody(Type.Object({ field: schema }));
  let accepted = 0;
  fc.assert(
    fc.property(anything, (value) => {
      const input = { field: structuredClone(value) };
      if (validate(input)) return;
      accepted += 1;
      expect(isNormalized(input.field)).toBe(true);
      const again = structuredClone(input);
      expect(validate(again)).toBeUndefined();
      expect(again).toEqual(input);
    }),
    { numRuns: 600 },
  );
  expect(accepted).toBeGreaterThan(5);
});

test.each([
  ['correct horse', 'correct horse'],
  ['é'.repeat(36), 'é'.repeat(36)],
  ['é'.repeat(37), refused('invalid')],
  ['a'.repeat(73), refused('too_long')],
  ['correct\0horse', refused('invalid')],
  ['seven77', refused('too_short')],
])('the new password %j becomes %j', (password, expected) => {
  expect(normalize(NewPassword, password)).toEqual(expected);
});
