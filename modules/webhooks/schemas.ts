import {
  Default,
  extend,
  Line,
  Nullable,
  NullableLine,
  named,
  outputFields,
  type Static,
  Timestamp,
  Type,
  UserId,
  Uuid,
  updateSchema,
} from '@chowk/kit';

const EventPattern = Line(100, { pattern: '^(\\*|[a-z][a-z0-9_-]*(\\.[a-zA-Z0-9_]+)*(\\.\\*)?)$' });

const scalars = [Type.String(), Type.Number(), Type.Boolean()];
const Condition = named(
  'WebhookCondition',
  Type.Object({
    field: Line(200, { description: 'A field of the event by its path.', examples: ['order.status'] }),
    operator: Type.Enum(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains'], {
      description: 'How the field is compared with `value`.',
    }),
    value: Type.Unsafe<unknown>({
      ...Type.Union([...scalars, Type.Array(Type.Union(scalars)), Type.Null()]),
      description: 'A text, number or boolean; a list with `in`; null with `eq` and `ne`.',
      examples: ['shipped'],
    }),
  }),
);

export const NewWebhook = named(
  'NewWebhook',
  Type.Object({
    url: Line(2_048, {
      description: 'Gets a POST request for each event. Must be `https` on the public internet.',
      examples: ['https://hooks.example.com/chowk'],
    }),
    events: Type.Array(EventPattern, {
      minItems: 1,
      maxItems: 100,
      distinct: true,
      description: 'Names of events, `order.*` for all that begin with `order.`, or `*` for all.',
      examples: [['order.*', 'customer.created']],
    }),
    conditions: Default(
      Type.Array(Condition, {
        maxItems: 20,
        description:
          'Only events that meet all of them are sent. They need exactly one event in `events`, by its name; its fields are those that notification rules can use.',
        examples: [[{ field: 'order.total', operator: 'gte', value: '500.00' }]],
      }),
      [],
    ),
    description: Default(NullableLine(255, { description: 'What the webhook is used for.' }), null),
    is_active: Default(Type.Boolean(), true),
  }),
);
export type NewWebhook = Static<typeof NewWebhook>;

const Changes = updateSchema(NewWebhook);
export const WebhookChanges = named('WebhookChanges', extend(Changes, { id: Uuid }));
export type WebhookChanges = Static<typeof WebhookChanges>;

export const Webhook = named(
  'Webhook',
  Type.Object({
    id: Uuid,
    ...outputFields(NewWebhook),
    disabled_at: Type.Unsafe<string | null>({
      ...Nullable(Timestamp),
      description: 'When the platform disabled it, because all deliveries had failed for three days.',
    }),
    last_delivered_at: Nullable(Timestamp),
    saved_by: Type.Unsafe<number | null>({
      ...Nullable(UserId),
      description: 'The user whose permissions decide which events it gets: who set `url` or `events` last.',
    }),
    previous_secret_expires_at: Nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type Webhook = Static<typeof Webhook>;

export const WebhookWithSecret = named(
  'WebhookWithSecret',
  Type.Object({
    webhook: Webhook,
    secret: Type.String({ description: 'Verifies signatures. Shown only once.', examples: ['whsec_…'] }),
  }),
);
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

const DeliveryStatus = Type.Enum(['pending', 'delivered', 'failed']);

export const Replay = Type.Object({
  id: Uuid,
  from_sequence: Type.Integer({ minimum: 1, description: 'The `sequence` of the first event.', examples: [1_042] }),
  to_sequence: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'The last sequence number to send. Default: the newest event.',
      examples: [1_050],
    }),
  ),
});
export type Replay = Static<typeof Replay>;

export const WebhookDelivery = named(
  'WebhookDelivery',
  Type.Object({
    id: Type.String({ format: 'uuid', description: 'Sent in the header `webhook-id`.' }),
    event: Type.String({ examples: ['order.created'] }),
    status: DeliveryStatus,
    attempts: Type.Integer({ description: 'Since the event or the last redelivery.' }),
    next_attempt_at: Nullable(Timestamp),
    response_status: Nullable(Type.Integer()),
    response_body: Type.Unsafe<string | null>({
      ...Nullable(Type.String()),
      description: 'The first kilobyte of the response.',
    }),
    duration_ms: Nullable(Type.Integer()),
    error: Type.Unsafe<string | null>({
      ...Nullable(Type.String()),
      description: 'Why the last attempt failed.',
    }),
    can_redeliver: Type.Boolean({
      description: 'Whether it can be delivered again: all but test events, while the event is kept.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookDeliveryDetails = named(
  'WebhookDeliveryDetails',
  extend(WebhookDelivery, {
    payload: Type.Unsafe<string | null>({
      ...Nullable(Type.String()),
      description: 'The body of the request, while it is stored. Only for callers with `customers.view_sensitive`.',
    }),
  }),
  { graphqlType: 'WebhookDelivery' },
);
export type WebhookDeliveryDetails = Static<typeof WebhookDeliveryDetails>;

export const WebhookEvent = named(
  'WebhookEvent',
  Type.Object({ name: Type.String({ examples: ['order.created'] }), summary: Type.String() }),
);
