import {
  Default,
  Email,
  extend,
  Line,
  NamedObject,
  NewNotification,
  Nullable,
  outputFields,
  type Static,
  Text,
  Timestamp,
  Type,
  UserId,
  Uuid,
} from '@chowk/kit';

export const Notification = NamedObject('Notification', {
  id: Uuid,
  user_id: UserId,
  ...outputFields(NewNotification),
  count: Type.Integer({ description: 'How often it was sent, with a `group_key`.' }),
  read_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Notification = Static<typeof Notification>;

export const UnreadCount = Type.Object({ unread_count: Type.Integer() });
export const MarkedAsRead = Type.Object({ count: Type.Integer({ description: 'How many were unread.' }) });

export const Message = extend(NewNotification, {
  to: Type.Union([UserId, Type.Array(UserId), Type.Literal('members')]),
  /** The customer with whom it is erased. */
  customer_id: Default(Nullable(Uuid), null),
});
export type Message = Static<typeof Message>;

const { title, body, data } = NewNotification.properties;
export const InAppMessage = Type.Object({ user_id: UserId, title, body, data });
export type InAppMessage = Static<typeof InAppMessage>;

export const InAppResult = NamedObject('InAppResult', {
  sent: Type.Boolean(),
  reason: Nullable(Type.Enum(['not_a_member'])),
});
export type InAppResult = Static<typeof InAppResult>;

const customer_id = Default(
  Type.Unsafe<string | null>({ ...Nullable(Uuid), description: 'The customer with whom the message is erased.' }),
  null,
);
/** A phone number in an input. */
export const Phone = Line(32, { pattern: '^\\+?[\\d ().-]{3,31}$', description: 'A phone number.' });

export const Purpose = Type.Enum(['transactional', 'marketing'], {
  description: '`marketing`: only for customers who accept it; mails have a link to unsubscribe.',
});
export type Purpose = Static<typeof Purpose>;
const purpose = Default(Purpose, 'transactional');

export const EmailMessage = Type.Object({ to: Email, subject: Line(255), body: Text(100_000), customer_id, purpose });
export type EmailMessage = Static<typeof EmailMessage>;
export const ChannelMessage = Type.Object({
  channel: Type.Enum(['sms', 'whatsapp']),
  to: Phone,
  message: Text(4_000),
  customer_id,
  purpose,
});
export type ChannelMessage = Static<typeof ChannelMessage>;
export const MessageResult = NamedObject('MessageResult', {
  id: Uuid,
  provider: Type.Enum(['log', 'mail', 'twilio', 'webhook'], {
    description: '`log`: a line in the log; the message is not delivered.',
  }),
  skipped: Type.Unsafe<string | null>({
    ...Nullable(Type.String()),
    description: 'Why the message is not sent, such as the limit of a new organization.',
  }),
});
export type MessageResult = Static<typeof MessageResult>;

export const MessageState = NamedObject('MessageState', {
  id: Uuid,
  channel: Type.Enum(['in_app', 'email', 'sms', 'whatsapp']),
  customer_id: Nullable(Uuid),
  status: Type.Enum(['queued', 'sent', 'delivered', 'read', 'failed', 'skipped']),
  reason: Nullable(Type.String()),
});
export type MessageState = Static<typeof MessageState>;
