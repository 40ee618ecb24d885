import { Issues, Money, Nullable, Timestamp, Type } from '@chowk/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkConditions, meetsConditions, operatorsFor } from './conditions.ts';
import { type EventField, readFields, samplePayload } from './event-fields.ts';
import type { Condition } from './rule-schemas.ts';

const payload = Type.Object({
  order: Type.Object({
    number: Type.String(),
    status: Type.Enum(['pending', 'shipped']),
    total: Money,
    items: Type.Array(Type.Object({ sku: Type.String() })),
    tags: Type.Array(Type.String()),
    count: Type.Integer(),
    is_paid: Nullable(Type.Boolean()),
    placed_at: Timestamp,
    note: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    ids: Type.Record(Type.String(), Type.String()),
    either: Type.Union([Type.String(), Type.Integer()]),
  }),
});
const fields = readFields(payload);

const meets = (condition: Condition, order: object) => meetsConditions(fields, [condition], { order });

function findErrors(...conditions: unknown[]): Record<string, string[]> {
  const issues = new Issues();
  checkConditions(fields, conditions as Condition[], issues);
  return Object.fromEntries(Object.entries(issues.errors).map(([name, list]) => [name, list.map(({ code }) => code)]));
}

test('conditions can use the scalar fields of an event and its lists of scalars', () => {
  expect([...fields.keys()].map((path) => path.replace('order.', ''))).toEqual([
    'number',
    'status',
    'total',
    'tags',
    'count',
    'is_paid',
    'placed_at',
    'note',
  ]);
});

describe('a condition is refused', () => {
  test('on a field that the event does not have, also with a name of the language', () => {
    const value = { operator: 'eq', value: 'x' };
    const names = [
      'order',
      'order.flavour',
      'order.items',
      'order.ids.shopify',
      'constructor',
      '__proto__',
      'order.number.length',
    ];
    const errors = findErrors(...names.map((field) => ({ field, ...value })));
    expect(errors).toEqual(Object.fromEntries(names.map((_, index) => [`conditions.${index}.field`, ['unknown']])));
  });

  test('with an operator that does not fit the field', () => {
    const errors = findErrors(
      { field: 'order.number', operator: 'gt', value: 'a' },
      { field: 'order.is_paid', operator: 'contains', value: true },
      { field: 'order.tags', operator: 'eq', value: 'vip' },
      { field: 'order.total', operator: 'contains', value: '9' },
    );
    expect(errors).toEqual(
      Object.fromEntries([0, 1, 2, 3].map((index) => [`conditions.${index}.operator`, ['not_allowed']])),
    );
  });

  test.each([
    ['order.status', 'eq', 'flown'],
    ['order.status', 'in', ['shipped', 'flown']],
    ['order.status', 'in', 'shipped'],
    ['order.status', 'in', []],
    ['order.total', 'gt', 'much'],
    ['order.total', 'gt', null],
    ['order.total', 'lt', -1],
    ['order.count', 'eq', '5'],
    ['order.is_paid', 'eq', 'true'],
    ['order.placed_at', 'lt', 'yesterday'],
    ['order.number', 'contains', ''],
    ['order.number', 'eq', 'x'.repeat(256)],
    ['order.number', 'eq', { $ne: 1 }],
    ['order.number', 'eq', 'a\0b'],
    ['order.number', 'eq', '\ud800'],
    ['order.tags', 'contains', ['vip']],
  ])('on %s with %s %j', (field, operator, value) => {
    expect(findErrors({ field, operator, value })).toEqual({ 'conditions.0.value': ['wrong_type'] });
  });
});

test.each<[string, Condition['operator'], unknown, object, boolean]>([
  ['status', 'eq', 'shipped', { status: 'shipped' }, true],
  ['status', 'ne', 'shipped', { status: 'shipped' }, false],
  ['status', 'in', ['pending', 'shipped'], { status: 'shipped' }, true],
  ['total', 'gte', '1000', { total: '999.99' }, false],
  ['total', 'gte', 1000, { total: '1000.00' }, true],
  ['total', 'lt', '9.5', { total: '10.00' }, false],
  ['count', 'gt', 9, { count: 10 }, true],
  ['is_paid', 'eq', true, { is_paid: null }, false],
  ['is_paid', 'eq', null, { is_paid: null }, true],
  ['is_paid', 'ne', true, { is_paid: null }, true],
  ['placed_at', 'lt', '2026-01-01T05:30:00+05:30', { placed_at: '2025-12-31T23:59:59.999Z' }, true],
  ['note', 'contains', 'GIFT', { note: 'A gift for Ravi' }, true],
  ['note', 'contains', 'gift', { note: null }, false],
  ['tags', 'contains', 'vip', { tags: ['new', 'vip'] }, true],
  ['tags', 'contains', 'vi', { tags: ['new', 'vip'] }, false],
  ['total', 'gt', '1', { total: null }, false],
  ['total', 'lte', '1', {}, false],
])('%s %s %j of %j is %s', (name, operator, value, order, expected) => {
  expect(meets({ field: `order.${name}`, operator, value }, order)).toBe(expected);
});

test('a condition on a field that the event no longer has is not met', () => {
  expect(meetsConditions(fields, [{ field: 'order.gone', operator: 'ne', value: 'x' }], {})).toBe(false);
});

const values: Readonly<Record<EventField['kind'], fc.Arbitrary<unknown>>> = {
  text: fc.string({ minLength: 1, maxLength: 20 }),
  number: fc.integer(),
  money: fc.integer({ min: 0, max: 10 ** 11 }).map((cents) => (cents / 100).toFixed(2)),
  time: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }).map((at) => at.toISOString()),
  boolean: fc.boolean(),
};

test('for any valid condition and value the operators are consistent with each other', () => {
  const cases = fc.constantFrom(...fields).chain(([path, field]) => {
    const value = field.values ? fc.constantFrom(...field.values) : values[field.kind];
    return fc.record({ path: fc.constant(path), field: fc.constant(field), value, actual: value });
  });
  fc.assert(
    fc.property(cases, ({ path, field, value, actual }) => {
      const name = path.replace('order.', '');
      const is = (operator: Condition['operator'], other = value) => {
        expect(findErrors({ field: path, operator, value: other })).toEqual({});
        return meets({ field: path, operator, value: other }, { [name]: field.isList ? [actual] : actual });
      };
      if (field.isList) {
        expect(is('contains')).toBe(value === actual);
        return;
      }
      const allowed = operatorsFor(field);
      expect(is('ne')).toBe(!is('eq'));
      if (allowed.includes('in')) expect(is('in', [value])).toBe(is('eq'));
      if (!allowed.includes('gt')) return;
      expect([is('lt'), is('eq'), is('gt')].filter(Boolean)).toHaveLength(1);
      expect(is('lte')).toBe(is('lt') || is('eq'));
      expect(is('gte')).toBe(is('gt') || is('eq'));
      const number = (text: unknown) => (field.kind === 'time' ? Date.parse(String(text)) : Number(text));
      expect(is('gt')).toBe(number(actual) > number(value));
    }),
  );
});

test('no condition and no payload, however strange, makes the evaluation fail', () => {
  const condition = fc.record({
    field: fc.oneof(fc.constantFrom(...fields.keys()), fc.string()),
    operator: fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains'),
    value: fc.jsonValue(),
  });
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 3 }), fc.jsonValue(), (conditions, order) => {
      const hasErrors = Object.keys(findErrors(...conditions)).length > 0;
      if (!hasErrors) expect(meetsConditions(fields, conditions as Condition[], { order })).toBeTypeOf('boolean');
    }),
  );
});

test('the sample of an event has a value for each of its fields', () => {
  const sample = samplePayload(fields);
  const conditions = [...fields.keys()].map((field): Condition => {
    return fields.get(field)?.isList
      ? { field, operator: 'contains', value: 'text' }
      : { field, operator: 'ne', value: null };
  });
  expect(meetsConditions(fields, conditions, sample)).toBe(true);
});
