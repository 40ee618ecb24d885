import {
  extend,
  NamedObject,
  NewNotification,
  Nullable,
  outputOf,
  type Static,
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
