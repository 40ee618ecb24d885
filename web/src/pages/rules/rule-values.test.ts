import type { NotificationRule, NotificationRuleField } from '@chowk/client';
import { expect, test } from 'vitest';
import { emptyTexts, fieldLabel, operatorsFor, readTexts, toRuleInput } from './rule-values.ts';

const field = (path: string, type: NotificationRuleField['type'], operators: string[] = ['eq', 'ne', 'in']) =>
  ({ path, type, operators, values: null }) satisfies NotificationRuleField;
const fields = [
  field('order.status', 'text'),
  field('order.items_count', 'number'),
  field('order.total', 'money'),
  field('notify', 'boolean'),
];

test('conditions are sent with values of the type of their field, and read back as they were typed', () => {
  const conditions = [
    { field: 'order.status', operator: 'in', value: 'shipped, delivered' },
    { field: 'order.items_count', operator: 'gt', value: '3' },
    { field: 'order.total', operator: 'gte', value: '199.50' },
    { field: 'notify', operator: 'eq', value: 'true' },
    { field: 'order.note', operator: 'not_empty', value: '' },
    { field: 'order.items_count', operator: 'eq', value: 'many' },
  ] as const;
  const input = toRuleInput({ ...emptyTexts, body: ' Hello ', conditions }, fields);
  expect(input.conditions?.map(({ operator, value }) => [operator, value])).toEqual([
    ['in', ['shipped', 'delivered']],
    ['gt', 3],
    ['gte', '199.50'],
    ['eq', true],
    ['ne', null],
    ['eq', 'many'],
  ]);
  expect(input.template.body).toBe('Hello');
  const rule = { ...input, saved_by: 1, preset: null } as unknown as NotificationRule;
  expect(readTexts(rule).conditions).toEqual(conditions);
});

test('members of the team are a role or a person, and get no marketing', () => {
  const team = { ...emptyTexts, channel: 'in_app', purpose: 'marketing', body: 'Hello' } as const;
  expect(toRuleInput({ ...team, recipient: 'role:Night: shift' }, fields)).toMatchObject({
    recipient: { role: 'Night: shift' },
    purpose: 'transactional',
  });
  expect(toRuleInput({ ...team, recipient: 'user:12' }, fields).recipient).toEqual({ user_id: 12 });
  expect(toRuleInput({ ...team, channel: 'sms', subject: 'Unused' }, fields)).toMatchObject({
    recipient: 'customer',
    purpose: 'marketing',
    template: { subject: null },
  });
});

test('fields have a label, and those that can be compared can be empty', () => {
  expect(fieldLabel('order.customer_id')).toBe('Order customer id');
  expect(operatorsFor(field('tags', 'list', ['contains']))).toEqual(['contains']);
  expect(operatorsFor(field('note', 'text', ['eq']))).toEqual(['eq', 'empty', 'not_empty']);
});
