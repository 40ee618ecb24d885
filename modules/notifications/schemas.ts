import {
  Email,
  extend,
  Line,
  NamedObject,
  NewNotification,
  Nullable,
  outputOf,
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
  ...outputOf(NewNotification),
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

export const EmailMessage = Type.Object({ to: Email, subject: Line(255), body: Text(100_000) });
export const ChannelMessage = Type.Object({
  channel: Type.Enum(['sms', 'whatsapp']),
  to: Line(32, { description: 'A phone number.' }),
  message: Text(4_000),
});
export const MessageResult = NamedObject('MessageResult', {
  provider: Type.Enum(['log'], { description: '`log`: a line in the log; the message is not delivered.' }),
});
export type MessageResult = Static<typeof MessageResult>;
