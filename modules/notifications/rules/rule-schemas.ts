import {
  Default,
  extend,
  Line,
  NamedObject,
  Nullable,
  NullableLine,
  named,
  outputFields,
  type Static,
  Text,
  Timestamp,
  Type,
  UserId,
  Uuid,
  updateSchema,
} from '@chowk/kit';
import { Purpose } from '../schemas.ts';

export const Channel = Type.Enum(['in_app', 'email', 'sms', 'whatsapp']);

const scalars = [Type.String(), Type.Number(), Type.Boolean()];
export const Condition = NamedObject('NotificationCondition', {
  field: Line(200, { description: 'A field of the event by its path.', examples: ['order.status'] }),
  operator: Type.Enum(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains'], {
    description: 'How the field is compared with `value`.',
  }),
  value: Type.Unsafe<unknown>({
    ...Type.Union([...scalars, Type.Array(Type.Union(scalars)), Type.Null()]),
    description: 'A text, number or boolean; a list with `in`; null with `eq` and `ne`.',
    examples: ['shipped'],
  }),
});
export type Condition = Static<typeof Condition>;

const Template = NamedObject('NotificationTemplate', {
  subject: Default(
    NullableLine(255, {
      description: 'The subject of an email or the title of a notification.',
      examples: ['Order {{order_number}}'],
    }),
    null,
  ),
  body: Text(10_000, { examples: ['Hello {{customer_name}}, your order {{order_number}} is on its way.'] }),
});

const Recipient = Type.Union(
  [
    Type.Literal('customer'),
    Type.Object({ user_id: UserId }),
    Type.Object({ role: Line(255, { examples: ['Manager'] }) }),
  ],
  { description: '`"customer"`; for `in_app`, `{ "user_id" }` or `{ "role" }` of members of the team.' },
);
export type Recipient = Static<typeof Recipient>;

export const NewRule = NamedObject('NewNotificationRule', {
  name: Default(NullableLine(255), null),
  event: Line(100, { examples: ['order.status_changed'] }),
  conditions: Default(Type.Array(Condition, { maxItems: 20, description: 'All of them must hold.' }), []),
  channel: Channel,
  template: Template,
  purpose: Default(Purpose, 'transactional'),
  recipient: Default(Recipient, 'customer'),
  is_active: Default(Type.Boolean(), true),
});
export type NewRule = Static<typeof NewRule>;

export const RuleChanges = named('NotificationRuleChanges', extend(updateSchema(NewRule), { id: Uuid }));
export type RuleChanges = Static<typeof RuleChanges>;

export const Rule = NamedObject('NotificationRule', {
  id: Uuid,
  ...outputFields(NewRule),
  saved_by: Type.Unsafe<number | null>({
    ...Nullable(UserId),
    description:
      'The user whose permissions decide what the rule sends: who changed more than its name or `is_active` last.',
  }),
  preset: Type.Unsafe<string | null>({ ...Nullable(Type.String()), description: 'The preset that it was made from.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Rule = Static<typeof Rule>;

export const RulePreset = NamedObject('NotificationRulePreset', {
  key: Type.String({ examples: ['order_shipped'] }),
  ...Type.Pick(Rule, ['name', 'event', 'conditions', 'channel', 'template', 'is_active']).properties,
  rule_id: Type.Unsafe<string | null>({ ...Nullable(Uuid), description: 'The rule, once it was switched on.' }),
});
export type RulePreset = Static<typeof RulePreset>;

export const PresetSwitch = NamedObject('NotificationRulePresetSwitch', {
  key: Line(100, { examples: ['order_shipped'] }),
  template: Type.Optional(Template),
});
export type PresetSwitch = Static<typeof PresetSwitch>;

const MessageText = Type.Unsafe<string | null>({
  ...Nullable(Type.String()),
  description: 'Null without customers.view_sensitive, unless it was sent to members of the team.',
});

export const RuleDelivery = NamedObject('NotificationRuleDelivery', {
  id: Uuid,
  channel: Channel,
  recipient: Type.Unsafe<string | null>({
    ...Nullable(Type.String()),
    description:
      'An address, a phone number or members of the team. Phones are masked without customers.view_sensitive.',
  }),
  subject: MessageText,
  body: MessageText,
  provider: Type.String({ examples: ['twilio'] }),
  status: Type.Enum(['queued', 'sent', 'failed', 'skipped']),
  reason: Type.Unsafe<string | null>({
    ...Nullable(Type.String()),
    description: 'Why it was skipped, or why the last attempt failed.',
  }),
  event_id: Type.Unsafe<string | null>({ ...Nullable(Uuid), description: 'Null for a test.' }),
  customer_id: Nullable(Uuid),
  attempts: Type.Integer(),
  next_attempt_at: Nullable(Timestamp),
  sent_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type RuleDelivery = Static<typeof RuleDelivery>;

export const RulePreview = NamedObject('NotificationRulePreview', {
  subject: Nullable(Type.String()),
  body: Type.String(),
  is_match: Type.Boolean({ description: 'Whether the conditions hold for the data of the preview.' }),
  source: Type.Enum(['latest_order', 'sample'], { description: 'The data of the preview.' }),
});
export type RulePreview = Static<typeof RulePreview>;

export const RuleTest = NamedObject('NotificationRuleTest', {
  id: Uuid,
  to: Type.Optional(
    Line(254, {
      description:
        'An email address or a phone number. Default: your own address or account. Needs `notifications.send`.',
    }),
  ),
});
export type RuleTest = Static<typeof RuleTest>;

const RuleField = NamedObject('NotificationRuleField', {
  path: Type.String({ examples: ['order.status'] }),
  type: Type.Enum(['text', 'number', 'money', 'time', 'boolean', 'list']),
  operators: Type.Array(Type.String()),
  values: Type.Unsafe<string[] | null>({
    ...Nullable(Type.Array(Type.String())),
    description: 'The allowed values, if there is a list of them.',
  }),
});
export const RuleEvent = NamedObject('NotificationRuleEvent', {
  name: Type.String({ examples: ['order.created'] }),
  summary: Type.String(),
  channels: Type.Array(Channel),
  placeholders: Type.Array(Type.String()),
  fields: Type.Array(RuleField),
});
export type RuleEvent = Static<typeof RuleEvent>;
