import {
  Counts,
  Default,
  extend,
  Line,
  NamedObject,
  Nullable,
  NullableEmail,
  NullableLine,
  named,
  outputFields,
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
  graphqlType: 'MessageDirection',
  description: 'From the customer, to the customer, or for the team only.',
});
const Subject = Line(255, { minLength: 0, examples: ['Where is my order?'] });

const NewCustomer = NamedObject('NewConversationCustomer', {
  id: Type.Optional(Uuid),
  phone: Type.Optional(NullableLine(32)),
  email: Type.Optional(NullableEmail),
  first_name: Type.Optional(NullableLine(255)),
  last_name: Type.Optional(NullableLine(255)),
});
const NewMessage = NamedObject('NewConversationMessage', {
  direction: Default(Direction, 'outbound'),
  body: Text(20_000, { examples: ['It left us on Tuesday.'] }),
});
export type NewMessage = Static<typeof NewMessage>;

export const NewConversation = NamedObject('NewConversation', {
  customer: NewCustomer,
  channel: Channel,
  subject: Default(Subject, ''),
  message: Type.Optional(NewMessage),
});
export type NewConversation = Static<typeof NewConversation>;

export const Reply = named('ConversationReply', extend(NewMessage, { id: Uuid }));
export type Reply = Static<typeof Reply>;
export const ConversationChanges = NamedObject('ConversationChanges', { id: Uuid, subject: Type.Optional(Subject) });
export const Assignment = NamedObject('ConversationAssignment', { id: Uuid, assignee_id: Nullable(UserId) });
export type Assignment = Static<typeof Assignment>;
export const StatusChange = NamedObject('ConversationStatusChange', { id: Uuid, status: Status });

/** As stored and as in events. */
const record = Type.Object({
  id: Uuid,
  customer_id: Uuid,
  channel: Channel,
  subject: outputFields(NewConversation).subject,
  status: Status,
  assignee_id: Nullable(UserId),
  message_count: Type.Integer({ description: 'Includes notes.' }),
  last_message_at: { ...Timestamp, description: 'The time of creation if there are no messages.' },
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const ConversationRecord = named('ConversationRecord', record, { graphqlType: 'Conversation' });
export type ConversationRecord = Static<typeof ConversationRecord>;

const Customer = NamedObject(
  'ConversationCustomer',
  {
    ...outputFields(NewCustomer),
    id: Uuid,
    phone: Nullable(Type.String({ description: 'Masked without customers.view_sensitive.' })),
  },
  { graphqlType: 'Customer' },
);
const Member = NamedObject('ConversationMember', { id: UserId, name: Type.String(), email: Type.String() });
export type Member = Static<typeof Member>;
const LastMessage = NamedObject('LastMessage', { direction: Direction, excerpt: Type.String(), sent_at: Timestamp });

export const Conversation = named(
  'Conversation',
  extend(ConversationRecord, {
    customer: Nullable(Customer),
    assignee: Nullable(Member),
    last_message: Nullable(LastMessage),
    waiting_since: {
      ...Nullable(Timestamp),
      description:
        'The first message of the customer that has not been answered; null if there is none or it is closed.',
    },
  }),
);
export type Conversation = Static<typeof Conversation>;

export const MessageRecord = NamedObject('ConversationMessageRecord', {
  id: Uuid,
  conversation_id: Uuid,
  ...outputFields(NewMessage),
  user_id: Nullable(UserId),
  sent_at: Timestamp,
});
export type MessageRecord = Static<typeof MessageRecord>;
export const Message = named('ConversationMessage', extend(MessageRecord, { user: Nullable(Member) }));
export type Message = Static<typeof Message>;

const messages = Type.Array(Message, { description: 'The latest 20, newest first.' });
export const ConversationDetail = named('ConversationDetail', extend(Conversation, { messages }), {
  graphqlType: 'Conversation',
});
export type ConversationDetail = Static<typeof ConversationDetail>;
export const Replied = Type.Object({ conversation: Conversation, conversation_message: Message });
export type Replied = Static<typeof Replied>;

export const ConversationCounts = Counts('ConversationCounts', Status);
export type ConversationCounts = Static<typeof ConversationCounts>;
