import { Default, Line, Nullable, named, type Static, Timestamp, Type, Uuid } from '@chowk/kit';

const settingsExample = { 'general.currency': 'INR' };

export const SettingValues = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Dotted keys to values.',
  examples: [settingsExample],
});

export const SettingsChanges = Type.Object(
  {},
  { additionalProperties: true, title: 'SettingsChanges', examples: [settingsExample] },
);

export const DescribedSetting = named(
  'DescribedSetting',
  Type.Object({
    key: Type.String({ examples: ['general.currency'] }),
    description: Type.String(),
    schema: Type.Unknown({ description: 'The JSON schema of its values.', examples: [{ type: 'string' }] }),
    default: Type.Unknown({ examples: ['INR'] }),
  }),
);
export type DescribedSetting = Static<typeof DescribedSetting>;

export const Domain = named(
  'Domain',
  Type.Object({ domain: Type.String(), kind: Type.Enum(['random', 'alias']), created_at: Timestamp }),
);
export type Domain = Static<typeof Domain>;

const Label = Line(63, { description: 'One label below the base domain.' });

export const NewDomain = named('NewDomain', Type.Object({ domain: Label }));

export const ByDomain = Type.Object({ domain: Label });

export const AuditEntry = named(
  'AuditEntry',
  Type.Object({
    id: Uuid,
    at: Type.String({ ...Timestamp, description: 'When the call began.' }),
    transport: Type.Enum(['rest', 'bus', 'graphql', 'mcp', 'job', 'command', 'system']),
    user_id: Nullable(Type.Integer({ description: 'The calling user; null for a call of the platform.' })),
    module: Nullable(Type.String({ description: 'The calling module; null for a call from outside.' })),
    action: Type.String({ examples: ['orders.update'] }),
    resource: Type.String({ examples: ['orders'] }),
    resource_id: Nullable(Type.String()),
    outcome: Type.Enum(['ok', 'refused', 'failed']),
    error_code: Nullable(Type.String()),
    request_id: Type.String(),
    duration_ms: Type.Number(),
    input: Type.Unknown({ description: 'The input; secrets and personal data are masked.' }),
    changes: Type.Unknown({ description: 'By field, the value before and after, if the action records it.' }),
    updated_at: Type.String({ ...Timestamp, description: 'When the entry was written or completed.' }),
  }),
);

const EventPattern = Line(100, { pattern: '^(\\*|[a-z][a-z0-9_-]*(\\.[a-zA-Z0-9_]+)*(\\.\\*)?)$' });

export const EventQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({
      pattern: '^\\d{1,15}$',
      description:
        'The `next_cursor` of the previous response. Without it, the list begins with the oldest event that is still stored.',
      examples: ['1042'],
    }),
  ),
  limit: Default(Type.Integer({ minimum: 1, maximum: 1_000 }), 100),
  type: Type.Optional(
    Type.Array(EventPattern, {
      maxItems: 50,
      description: 'Names of events, or `order.*` for all that begin with `order.`. Repeat the parameter for several.',
      examples: [['order.*', 'customer.created']],
    }),
  ),
  resource_id: Type.Optional(
    Line(100, {
      description: 'The id of a record, for the events about it.',
      examples: ['01934f2e-7a1c-7cc3-98c4-dc0c0c07398f'],
    }),
  ),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Events from this time on.' })),
  wait: Default(
    Type.Integer({
      minimum: 0,
      maximum: 30,
      description: 'If there is no event yet, the response waits for one, for at most this many seconds.',
    }),
    0,
  ),
});
export type EventQuery = Static<typeof EventQuery>;

export const Event = named(
  'Event',
  Type.Object({
    id: Uuid,
    sequence: Type.Integer({
      description:
        'The position among the events of the tenant: without gaps, and never smaller than one that was read before.',
      examples: [1_042],
    }),
    type: Type.String({ examples: ['order.created'] }),
    resource_id: Nullable(Type.String({ description: 'The id of the record that the event is about.' })),
    tenant_id: Type.String({ examples: ['acme'] }),
    created_at: Timestamp,
    data: Type.Unknown({
      description: 'The payload that webhooks receive. Fields that the caller may not see are masked.',
    }),
  }),
);
export type Event = Static<typeof Event>;

export const EventPage = named(
  'EventPage',
  Type.Object({
    events: Type.Array(Event),
    pagination: Type.Object({
      next_cursor: Type.String({ description: 'Continues after these events, also at the end of the list.' }),
      has_more: Type.Boolean(),
    }),
  }),
);
export type EventPage = Static<typeof EventPage>;
