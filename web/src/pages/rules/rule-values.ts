import type { NewNotificationRule, NotificationRule, NotificationRuleField } from '@chowk/client';

type Condition = NotificationRule['conditions'][number];
type Operator = Condition['operator'];

/** As it is typed. `empty` and `not_empty` compare with no value. */
export interface ConditionText {
  readonly field: string;
  readonly operator: Operator | 'empty' | 'not_empty';
  readonly value: string;
}

export interface RuleTexts {
  readonly name: string;
  readonly event: string;
  readonly conditions: readonly ConditionText[];
  readonly channel: NotificationRule['channel'];
  /** `role:Manager` or `user:12`, for members of the team. */
  readonly recipient: string;
  readonly purpose: NotificationRule['purpose'];
  readonly subject: string;
  readonly body: string;
}

export const emptyTexts: RuleTexts = {
  name: '',
  event: 'order.status_changed',
  conditions: [],
  channel: 'email',
  recipient: 'role:Owner',
  purpose: 'transactional',
  subject: '',
  body: '',
};

export const operatorLabels: Readonly<Record<ConditionText['operator'], string>> = {
  eq: 'is',
  ne: 'is not',
  gt: 'is above',
  gte: 'is at least',
  lt: 'is below',
  lte: 'is at most',
  in: 'is one of',
  contains: 'contains',
  empty: 'is empty',
  not_empty: 'is not empty',
};

export function operatorsFor({ operators }: NotificationRuleField): readonly ConditionText['operator'][] {
  const own = operators as readonly Operator[];
  return own.includes('eq') ? [...own, 'empty', 'not_empty'] : own;
}

/** `order.customer_id` becomes `Order customer id`. */
export function fieldLabel(path: string): string {
  const words = path.replace(/[._]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function readTexts(rule: NotificationRule): RuleTexts {
  const { name, event, conditions, channel, recipient, purpose, template } = rule;
  return {
    name: name ?? '',
    event,
    conditions: conditions.map(readCondition),
    channel,
    recipient:
      recipient === 'customer'
        ? emptyTexts.recipient
        : 'role' in recipient
          ? `role:${recipient.role}`
          : `user:${recipient.user_id}`,
    purpose,
    subject: template.subject ?? '',
    body: template.body,
  };
}

function readCondition({ field, operator, value }: Condition): ConditionText {
  if (value === null || value === undefined)
    return { field, operator: operator === 'ne' ? 'not_empty' : 'empty', value: '' };
  return { field, operator, value: Array.isArray(value) ? value.join(', ') : String(value) };
}

export function toRuleInput(texts: RuleTexts, fields: readonly NotificationRuleField[]): NewNotificationRule {
  const { name, event, conditions, channel, recipient, purpose, subject, body } = texts;
  const isForTeam = channel === 'in_app';
  return {
    name: name.trim() || null,
    event,
    conditions: conditions.map((condition) => toCondition(condition, fields)),
    channel,
    template: { subject: channel === 'email' || isForTeam ? subject.trim() || null : null, body: body.trim() },
    purpose: isForTeam ? 'transactional' : purpose,
    recipient: isForTeam ? toRecipient(recipient) : 'customer',
  };
}

function toRecipient(text: string): { readonly role: string } | { readonly user_id: number } {
  const [kind, ...rest] = text.split(':');
  const value = rest.join(':');
  return kind === 'user' ? { user_id: Number(value) } : { role: value };
}

function toCondition({ field, operator, value }: ConditionText, fields: readonly NotificationRuleField[]): Condition {
  if (operator === 'empty') return { field, operator: 'eq', value: null };
  if (operator === 'not_empty') return { field, operator: 'ne', value: null };
  const type = fields.find(({ path }) => path === field)?.type;
  if (operator !== 'in') return { field, operator, value: toValue(type, value.trim()) };
  const items = value.split(',').map((item) => item.trim());
  return { field, operator, value: items.filter((item) => item !== '').map((item) => toValue(type, item)) };
}

/** What is no number stays a text, which the platform refuses with a message. */
function toValue(type: NotificationRuleField['type'] | undefined, text: string): string | number | boolean {
  if (type === 'boolean') return text === 'true';
  if (type === 'number' && text !== '' && Number.isFinite(Number(text))) return Number(text);
  return text;
}
