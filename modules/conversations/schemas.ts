import {
  Default,
  extend,
  Line,
  Nullable,
  NullableEmail,
  NullableLine,
  named,
  type Static,
  Text,
  Timestamp,
  Type,
  UserId,
  Uuid,
} from '@chowk/kit';

export const Channel = Type.Enum(['email', 'sms', 'whatsapp', 'webchat', 'phone', 'other']);
export const Status = Type.Enum(['open', 'pending', 'closed']);
export type Status = Static<typeof Status>;
const Direction = Type.Enum(['inbound', 'outbound', 'note'], {
  description: 'From the customer, to the customer, or for the team only.',
});

/** A conversation as it is stored and as events carry it. */
export const ConversationRecord = Type.Object({
  id: Uuid,
  customer_id: Uuid,
  channel: Channel,
  subject: Type.String({ examples: ['Where is my order?'] }),
  status: Status,
  assignee_id: Nullable(UserId),
  message_count: Type.Integer({ description: 'Includes notes.' }),
  last_message_at: { ...Timestamp, description: 'The time of creation if there is no message.' },
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type ConversationRecord = Static<typeof ConversationRecord>;

const Customer = named(
  'ConversationCustomer',
  Type.Object({
    id: Uuid,
    first_name: Nullable(Type.String()),
    last_name: Nullable(Type.String()),
    email: Nullable(Type.String()),
    phone: Nullable(Type.String({ description: 'Masked without customers.view_sensitive.' })),
  }),
);
const Member = named(
  'ConversationMember',
  Type.Object({ id: UserId, name: Type.String({ examples: ['Asha Rao'] }), email: Type.String() }),
);
export type Member = Static<typeof Member>;
const LastMessage = named(
  'LastMessage',
  Type.Object({ direction: Direction, excerpt: Type.String(), sent_at: Timestamp }),
);

export const Conversation = named(
  'Conversation',
  extend(ConversationRecord, {
    customer: Nullable(Customer),
    assignee: Nullable(Member),
    last_message: Nullable(LastMessage),
  }),
);
export type Conversation = Static<typeof Conversation>;

export const MessageRecord = Type.Object({
  id: Uuid,
  conversation_id: Uuid,
  direction: Direction,
  body: Type.String({ examples: ['It left us on Tuesday.'] }),
  user_id: Nullable(UserId),
  sent_at: Timestamp,
});
export type MessageRecord = Static<typeof MessageRecord>;
export const Message = named('ConversationMessage', extend(MessageRecord, { user: Nullable(Member) }));
export type Message = Static<typeof Message>;

export const ConversationDetail = named(
  'ConversationDetail',
  extend(Conversation, { messages: Type.Array(Message, { description: 'The latest 20, the newest first.' }) }),
);
export type ConversationDetail = Static<typeof ConversationDetail>;

export const NewMessage = named(
  'NewConversationMessage',
  Type.Object({
    direction: Default(Direction, 'outbound'),
    body: Text(20_000, { examples: ['It left us on Tuesday.'] }),
  }),
);
export type NewMessage = Static<typeof NewMessage>;

const NewCustomer = named(
  'NewConversationCustomer',
  Type.Object(
    {
      id: Type.Optional(Uuid),
      phone: Type.Optional(NullableLine(32, { examples: ['+919876543210'] })),
      email: Type.Optional(NullableEmail),
      first_name: Type.Optional(NullableLine(255, { examples: ['Asha'] })),
      last_name: Type.Optional(NullableLine(255)),
    },
    { description: 'The id decides, else the phone, else the email. A customer that does not exist is created.' },
  ),
);
const Subject = Line(255, { minLength: 0, examples: ['Where is my order?'] });

export const NewConversation = named(
  'NewConversation',
  Type.Object({
    customer: NewCustomer,
    channel: Channel,
    subject: Default(Subject, ''),
    message: Type.Optional(NewMessage),
  }),
);
export type NewConversation = Static<typeof NewConversation>;

export const ConversationChanges = named(
  'ConversationChanges',
  Type.Object({ id: Uuid, subject: Type.Optional(Subject) }),
);
export const Assignment = named('Assignment', Type.Object({ id: Uuid, assignee_id: Nullable(UserId) }));
export type Assignment = Static<typeof Assignment>;
export const StatusChange = named('ConversationStatusChange', Type.Object({ id: Uuid, status: Status }));
export const Reply = named('Reply', extend(NewMessage, { id: Uuid }));
export type Reply = Static<typeof Reply>;
export const Replied = Type.Object({ conversation: Conversation, conversation_message: Message });

export const Counts = named(
  'ConversationCounts',
  Type.Object({
    total: Type.Integer(),
    counts: Type.Object({ open: Type.Integer(), pending: Type.Integer(), closed: Type.Integer() }),
  }),
);
export type Counts = Static<typeof Counts>;
