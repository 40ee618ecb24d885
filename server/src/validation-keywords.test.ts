import {
  changesOf,
  Default,
  Email,
  Line,
  MoneyInput,
  NullableEmail,
  NullableLine,
  NullableMoneyInput,
  NullableText,
  Tags,
  Text,
  TimestampInput,
  type TSchema,
  Type,
} from '@chowk/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileBody, compileText } from './validation.ts';

/** What the action is given for a value, or the codes of what is wrong with it. */
function read(schema: TSchema, value: unknown): unknown {
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
])('a line is trimmed before its length is looked at: %j', (value, expected) => {
  expect(read(Line(10), value)).toEqual(expected);
});

test.each([
  ['  ', null],
  ['', null],
  [null, null],
  [' x ', 'x'],
  ['12345678901', refused('too_long')],
  [5, refused('wrong_type')],
])('an empty line is null where null may be: %j', (value, expected) => {
  expect(read(NullableLine(10), value)).toEqual(expected);
});

test.each([
  ['  a\nb ', '  a\nb '],
  [' \n\t ', refused('too_short')],
  ['', refused('too_short')],
  ['a\0', refused('invalid')],
])('text is kept as it is written, but not if there is nothing in it: %j', (value, expected) => {
  const found = read(Text(10), value);
  expect(Array.isArray(found) ? [...new Set(found)] : found).toEqual(expected);
});

test.each([
  [' \n ', null],
  ['', null],
  [' a ', ' a '],
])('blank text is null where null may be: %j', (value, expected) => {
  expect(read(NullableText(10), value)).toBe(expected);
});

test.each([
  [' Asha@Example.COM ', 'asha@example.com'],
  ['asha@example', refused('invalid')],
  ['', refused('invalid')],
  [`${'a'.repeat(250)}@example.com`, refused('too_long', 'invalid')],
])('an address is written in small letters: %j', (value, expected) => {
  const found = read(Email, value);
  if (Array.isArray(expected)) expect(expected).toEqual(expect.arrayContaining(found as string[]));
  else expect(found).toBe(expected);
});

test('an empty address is null where null may be', () => {
  expect(read(NullableEmail, ' ')).toBeNull();
  expect(read(NullableEmail, ' A@b.co ')).toBe('a@b.co');
  expect(read(NullableEmail, 'nobody')).toEqual(refused('invalid'));
});

test.each([
  [5, '5.00'],
  ['5', '5.00'],
  [' 007.5 ', '7.50'],
  [19.99, '19.99'],
  [0, '0.00'],
  [-1, refused('invalid')],
  ['1.234', refused('invalid')],
  [1e10, refused('invalid')],
  ['', refused('invalid')],
  [null, refused('wrong_type')],
  [true, refused('wrong_type')],
  [[5], refused('wrong_type')],
])('an amount is written with two decimals, however it was sent: %j', (value, expected) => {
  expect(read(MoneyInput, value)).toEqual(expected);
});

test('an amount may be null where that is said, and is read the same from a query', () => {
  expect(read(NullableMoneyInput, null)).toBeNull();
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
])('a time is written in UTC: %j', (value, expected) => {
  const found = read(TimestampInput, value);
  expect(Array.isArray(found) ? [...new Set(found)] : found).toEqual(expected);
});

test('tags that are alike but for the spaces around them are one', () => {
  expect(read(Tags, [' tea', 'Tea', 'tea ', '茶', 'tea'])).toEqual(['tea', 'Tea', '茶']);
  const errors = compileBody(Type.Object({ tags: Tags }))({ tags: ['ok', ' ', 'a,b', '\ud800'] });
  expect(Object.keys(errors ?? {})).toEqual(['tags.1', 'tags.2', 'tags.3']);
});

test('a field is read wherever it stands: in a list, in an object, in a map', () => {
  const value = { list: [{ name: ' a ' }], map: { x: ' b ' } };
  const schema = Type.Object({
    list: Type.Array(Type.Object({ name: Line(5) })),
    map: Type.Record(Type.String(), Line(5)),
  });
  expect(compileBody(schema)(value)).toBeUndefined();
  expect(value).toEqual({ list: [{ name: 'a' }], map: { x: 'b' } });
});

test('a value that stands alone is checked, though nobody can be given what it is read as', () => {
  expect(compileBody(Line(5))(' abc ')).toBeUndefined();
  expect(compileBody(MoneyInput)('x')).toHaveProperty('body');
});

test('what is wrong beside it does not change what a field is read as', () => {
  const value = { name: ' Asha ', email: ' A@B.co ', price: 5, count: 'many' };
  const schema = Type.Object({ name: Line(5), email: Email, price: MoneyInput, count: Type.Integer() });
  expect(Object.keys(compileBody(schema)(value) ?? {})).toEqual(['count']);
  expect(value).toEqual({ name: 'Asha', email: 'a@b.co', price: '5.00', count: 'many' });
});

test('an update has the rules of its fields and none of their defaults', () => {
  const New = Type.Object({ name: Line(5), note: Default(NullableLine(5), null), tags: Default(Tags, []) });
  const changes = { note: ' ' };
  expect(compileBody(changesOf(New))(changes)).toBeUndefined();
  expect(changes).toEqual({ note: null });
  expect(compileBody(changesOf(New))({ name: '' })).toHaveProperty('name');
});

const kinds: Record<string, { schema: TSchema; isRead(value: unknown): boolean }> = {
  line: { schema: Line(10), isRead: (value) => value === String(value).trim() && value !== '' },
  nullableLine: {
    schema: NullableLine(10),
    isRead: (value) => value === null || (value !== '' && value === String(value).trim()),
  },
  text: { schema: Text(10), isRead: (value) => String(value).trim() !== '' },
  nullableText: { schema: NullableText(10), isRead: (value) => value === null || String(value).trim() !== '' },
  email: { schema: Email, isRead: (value) => value === String(value).trim().toLowerCase() },
  money: { schema: MoneyInput, isRead: (value) => /^\d{1,10}\.\d\d$/.test(String(value)) },
  nullableMoney: { schema: NullableMoneyInput, isRead: (value) => value === null || /^\d+\.\d\d$/.test(String(value)) },
  timestamp: { schema: TimestampInput, isRead: (value) => /^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/.test(String(value)) },
  tags: {
    schema: Tags,
    isRead: (value) =>
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
  fc.array(spaced, { maxLength: 5 }),
  fc.constant(null),
  fc.boolean(),
);

test.each(Object.entries(kinds))(
  'what was read once is not changed by being read again: %s',
  (_, { schema, isRead }) => {
    const validate = compileBody(Type.Object({ field: schema }));
    let accepted = 0;
    fc.assert(
      fc.property(anything, (value) => {
        const input = { field: structuredClone(value) };
        if (validate(input)) return;
        accepted += 1;
        expect(isRead(input.field)).toBe(true);
        const again = structuredClone(input);
        expect(validate(again)).toBeUndefined();
        expect(again).toEqual(input);
      }),
      { numRuns: 600 },
    );
    expect(accepted).toBeGreaterThan(5);
  },
);
