import {
  DownloadFormat,
  Message as MessageAnswer,
  Nullable,
  Pagination,
  paging,
  type Static,
  Timestamp,
  Type,
  Uuid,
} from '@chowk/kit';

const Line = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\p{Cc}]*$' });

export const Channel = Type.Enum(['email', 'sms', 'whatsapp', 'webchat', 'phone', 'other']);
export const Status = Type.Enum(['open', 'pending', 'closed']);
export type Status = Static<typeof Status>;
export const Direction = Type.Enum(['inbound', 'outbound', 'note'], {
  description: 'From the customer, to the customer, or for the team alone.',
});
const UserId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** A conversation by itself, as events tell of it. */
export const ConversationRecord = Type.Object({
  id: Uuid,
  customer_id: Uuid,
  channel: Channel,
  subject: Type.String(),
  status: Status,
  assignee_id: Nullable(UserId),
  message_count: Type.Integer({ description: 'Notes are counted, too.' }),
  last_message_at: { ...Timestamp, description: 'When it began, as long as nothing was said.' },
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type ConversationRecord = Static<typeof ConversationRecord>;

const Contact = Type.Object({
  id: Uuid,
  first_name: Nullable(Type.String()),
  last_name: Nullable(Type.String()),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String({ description: 'Masked without customers.view_sensitive.' })),
});
const Member = Type.Object({ id: UserId, name: Type.String(), email: Type.String() });
export type Member = Static<typeof Member>;

/** A conversation as answers show it, with who takes part. */
export const Conversation = Type.Object({
  ...ConversationRecord.properties,
  customer: Nullable(Contact),
  assignee: Nullable(Member),
  last_message: Nullable(Type.Object({ direction: Direction, excerpt: Type.String(), sent_at: Timestamp })),
});
export type Conversation = Static<typeof Conversation>;

export const MessageRecord = Type.Object({
  id: Uuid,
  conversation_id: Uuid,
  direction: Direction,
  body: Type.String(),
  user_id: Nullable(UserId),
  sent_at: Timestamp,
});
export type MessageRecord = Static<typeof MessageRecord>;
export const ConversationMessage = Type.Object({ ...MessageRecord.properties, user: Nullable(Member) });
export type ConversationMessage = Static<typeof ConversationMessage>;

export const ConversationDetail = Type.Object({
  ...Conversation.properties,
  messages: Type.Array(ConversationMessage, { description: 'The latest, the newest first.' }),
});
export type ConversationDetail = Static<typeof ConversationDetail>;

const Subject = Line(255);
// PostgreSQL cannot keep the character NUL.
const Body = Type.String({ minLength: 1, maxLength: 20_000, pattern: '^[^\\0]*$' });

export const NewMessage = Type.Object({ direction: { ...Direction, default: 'outbound' }, body: Body });
export type NewMessage = Static<typeof NewMessage>;

/** Whom it is with: the first of id, phone and email decides; somebody new is made a customer. */
const CustomerInput = Type.Object({
  id: Type.Optional(Uuid),
  phone: Type.Optional(Type.String({ maxLength: 32 })),
  email: Type.Optional(Type.String({ maxLength: 254, format: 'email' })),
  first_name: Type.Optional(Line(255)),
  last_name: Type.Optional(Line(255)),
});
export type CustomerInput = Static<typeof CustomerInput>;

export const NewConversation = Type.Object({
  customer: CustomerInput,
  channel: Channel,
  subject: { ...Subject, default: '' },
  message: Type.Optional(NewMessage),
});
export type NewConversation = Static<typeof NewConversation>;

export const ConversationChanges = Type.Object({ subject: Type.Optional(Subject) });
export type ConversationChanges = Static<typeof ConversationChanges>;
export const Assignment = Type.Object({ assignee_id: Nullable(UserId) });
export type Assignment = Static<typeof Assignment>;
export const StatusChange = Type.Object({ status: Status });

const filters = {
  status: Type.Optional(Status),
  channel: Type.Optional(Channel),
  assignee_id: Type.Optional(UserId),
  unassigned: Type.Optional(Type.Boolean()),
  customer_id: Type.Optional(Uuid),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words in the subject, or in name or email of the customer.' }),
  ),
};
const order = {
  sort_by: Type.Enum(['last_message_at', 'created_at'], { default: 'last_message_at' }),
  sort_order: Type.Enum(['asc', 'desc'], { default: 'desc' }),
};
const Filters = Type.Object(filters);
export type Filters = Static<typeof Filters>;
const Order = Type.Object(order);
export type Order = Static<typeof Order>;
export const ListQuery = Type.Object({ ...filters, ...order, ...paging });
export type ListQuery = Static<typeof ListQuery>;
export const ExportQuery = Type.Object({ ...filters, format: DownloadFormat });
export type ExportQuery = Static<typeof ExportQuery>;

export const Counts = Type.Object({
  total: Type.Integer(),
  open: Type.Integer(),
  pending: Type.Integer(),
  closed: Type.Integer(),
});
export type Counts = Static<typeof Counts>;

// A caller over the bus sends less than the operation gets: the bus fills in the defaults.
export const ListInput = Type.Partial(ListQuery);
const MessageInput = Type.Object({
  ...NewMessage.properties,
  direction: Type.Optional(NewMessage.properties.direction),
});
export const CreateInput = Type.Object({
  ...NewConversation.properties,
  subject: Type.Optional(NewConversation.properties.subject),
  message: Type.Optional(MessageInput),
});
export const ReplyInput = Type.Object({ id: Uuid, ...MessageInput.properties });

export const ById = Type.Object({ id: Uuid });
export const ConversationPage = Type.Object({ conversations: Type.Array(Conversation), pagination: Pagination });
export const ConversationSaved = Type.Object({ ...MessageAnswer.properties, conversation: Conversation });
export const DetailAnswer = Type.Object({ conversation: ConversationDetail });
export const DetailSaved = Type.Object({ ...MessageAnswer.properties, conversation: ConversationDetail });
const { total, ...counts } = Counts.properties;
export const CountsAnswer = Type.Object({ total, counts: Type.Object(counts) });
export const MessagePage = Type.Object({ messages: Type.Array(ConversationMessage), pagination: Pagination });
export const Replied = Type.Object({ conversation: Conversation, message: ConversationMessage });
/** Beside `message`, which every answer has, what was said needs a name of its own. */
export const MessageSaved = Type.Object({
  ...ConversationSaved.properties,
  conversation_message: ConversationMessage,
});
