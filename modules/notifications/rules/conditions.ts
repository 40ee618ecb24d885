import { type FieldError, type Issues, toCents, toMoney, toTimestamp } from '@chowk/kit';
import { type EventField, type EventFields, valueAt } from './event-fields.ts';
import type { Condition } from './rule-schemas.ts';

type Operator = Condition['operator'];

const compared: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'];
const operators: Readonly<Record<EventField['kind'], readonly Operator[]>> = {
  text: ['eq', 'ne', 'in', 'contains'],
  number: compared,
  money: compared,
  time: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'],
  boolean: ['eq', 'ne'],
};

const maxItems = 100;
const maxLength = 255;

export function operatorsFor({ kind, isList }: EventField): readonly Operator[] {
  return isList ? ['contains'] : operators[kind];
}

/** Adds what is wrong with conditions on an event with these fields. Incomplete conditions are left out. */
export function checkConditions(fields: EventFields, conditions: readonly Partial<Condition>[], issues: Issues): void {
  for (const [index, condition] of conditions.entries()) {
    if (!isComplete(condition)) continue;
    const add = (name: keyof Condition, message: string, code: FieldError['code']) =>
      issues.add(`conditions.${index}.${name}`, message, code);
    const field = fields.get(condition.field);
    if (!field) {
      add('field', `The event has no field ${condition.field}.`, 'unknown');
      continue;
    }
    const allowed = operatorsFor(field);
    if (!allowed.includes(condition.operator)) {
      add('operator', `The operator for ${condition.field} must be ${listed(allowed)}.`, 'not_allowed');
    } else if (!isValidValue(field, condition)) {
      add('value', `The value for ${condition.field} must be ${expected(field, condition.operator)}.`, 'wrong_type');
    }
  }
}

function isComplete(condition: Partial<Condition>): condition is Condition {
  return condition.field !== undefined && condition.operator !== undefined && 'value' in condition;
}

function isValidValue(field: EventField, { operator, value }: Condition): boolean {
  if (operator === 'in') {
    const isList = Array.isArray(value) && value.length > 0 && value.length <= maxItems;
    return isList && value.every((item) => isValidItem(field, item));
  }
  if (value === null) return operator === 'eq' || operator === 'ne';
  if (operator === 'contains' && !field.isList) return isText(value);
  return isValidItem(field, value);
}

function isValidItem(field: EventField, value: unknown): boolean {
  return comparable(field, value) !== undefined && (field.values?.includes(value as string) ?? true);
}

/** Without characters that PostgreSQL cannot store. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength && !/[\0\p{Cs}]/u.test(value);
}

const kindNames: Readonly<Record<EventField['kind'], string>> = {
  text: `a text of at most ${maxLength} characters`,
  number: 'a number',
  money: 'an amount such as "199.65"',
  time: 'a time such as "2026-01-31T09:30:00Z"',
  boolean: 'true or false',
};

function expected({ kind, values }: EventField, operator: Operator): string {
  const one = values && operator !== 'contains' ? `one of ${values.join(', ')}` : kindNames[kind];
  if (operator === 'in') return `a list of at most ${maxItems} items, each ${one}`;
  return operator === 'eq' || operator === 'ne' ? `${one}, or null` : one;
}

function listed(items: readonly string[]): string {
  return items.length === 1 ? String(items[0]) : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`;
}

/** A value that `<` and `===` compare; `undefined` if it is not of the field's kind. */
function comparable({ kind }: EventField, value: unknown): string | number | bigint | boolean | undefined {
  switch (kind) {
    case 'text':
      return isText(value) ? value : undefined;
    case 'number':
      return typeof value === 'number' ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'money': {
      const amount = typeof value === 'string' || typeof value === 'number' ? toMoney(value) : undefined;
      // In thousandths the amounts of all currencies are exact.
      return amount === undefined ? undefined : toCents(amount, 'KWD');
    }
    case 'time': {
      const time = typeof value === 'string' && /^\d{4}-/.test(value) ? toTimestamp(value) : undefined;
      return time === undefined ? undefined : Date.parse(time);
    }
  }
}

/** Whether a payload meets all conditions. One on a field that the event no longer has is not met. */
export function meetsConditions(fields: EventFields, conditions: readonly Condition[], payload: unknown): boolean {
  return conditions.every((condition) => {
    const field = fields.get(condition.field);
    return field !== undefined && meets(field, condition, valueAt(payload, condition.field) ?? null);
  });
}

function meets(field: EventField, { operator, value }: Condition, actual: unknown): boolean {
  const isEqual = (other: unknown) => (other === null ? actual === null : compare(field, actual, other) === 0);
  switch (operator) {
    case 'eq':
      return isEqual(value);
    case 'ne':
      return !isEqual(value);
    case 'in':
      return (value as unknown[]).some(isEqual);
    case 'contains':
      if (Array.isArray(actual)) return actual.some((item) => compare(field, item, value) === 0);
      return typeof actual === 'string' && actual.toLowerCase().includes(String(value).toLowerCase());
    case 'gt':
      return compare(field, actual, value) > 0;
    case 'gte':
      return compare(field, actual, value) >= 0;
    case 'lt':
      return compare(field, actual, value) < 0;
    case 'lte':
      return compare(field, actual, value) <= 0;
  }
}

/** Negative, 0 or positive; NaN, which no operator accepts, if one of them is not of the field's kind. */
function compare(field: EventField, one: unknown, other: unknown): number {
  const [left, right] = [comparableText(field, one), comparableText(field, other)];
  if (left === undefined || right === undefined) return Number.NaN;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Texts of an event may be empty or longer than those of a condition. */
function comparableText(field: EventField, value: unknown) {
  return field.kind === 'text' && typeof value === 'string' ? value : comparable(field, value);
}
