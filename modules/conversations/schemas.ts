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
  Timestamp,
  Type,
  UploadedFile,
  UserId,
  Uuid,
} from '@chowk/kit';

export const Channel = Type.Enum(['email', 'sms', 'whatsapp', 'webchat', 'phone', 'other']);
export const Status = Type.Enum(['open', 'pending', 'closed'], {
  description: '`pending` waits for the customer. A new message of the customer opens the conversation again.',
});
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
const attachment_ids = Default(
  Type.Array(Uuid, { maxItems: 10, uniqueItems: true, description: 'Files that were uploaded for this message.' }),
  [],
);
const MessageTemplate = NamedObject(
  'MessageTemplate',
  {
    id: Type.String({
      pattern: '^HX[0-9a-f]{32}$',
      description: 'The id of the content template at Twilio.',
      examples: ['HX0123456789abcdef0123456789abcdef'],
    }),
    variables: Type.Optional(Type.Record(Type.String({ pattern: '^\\w{1,32}$' }), Type.String({ maxLength: 1_024 }))),
  },
  { description: 'WhatsApp: an approved template, which may be sent at any time. `body` is what the team sees.' },
);
const NewMessage = NamedObject('NewConversationMessage', {
  direction: Default(Direction, 'outbound'),
  body: Default(
    Type.String({
      maxLength: 20_000,
      pattern: '^[^\\0\\p{Cs}]*$',
      description: 'May be empty if files are attached.',
      examples: ['It left us on Tuesday.'],
    }),
    '',
  ),
  log_only: Default(
    Type.Boolean({
      description: 'Records a message to the customer without sending it, such as one that was sent elsewhere.',
    }),
    false,
  ),
  attachment_ids,
  template: Type.Optional(MessageTemplate),
});
export type NewMessage = Static<typeof NewMessage>;

export const NewConversation = NamedObject('NewConversation', {
  customer: NewCustomer,
  channel: Channel,
  subject: Default(Subject, ''),
  message: Type.Optional(NewMessage),
});
export type NewConversation = Static<typeof NewConversation>;

export const Reply = named(
  'ConversationReply',
  extend(NewMessage, {
    id: Uuid,
    last_message_id: Type.Optional({
      ...Nullable(Uuid),
      description:
        'The newest message that you have seen, or null if there was none. If a colleague has answered since, yours is not sent (409).',
    }),
  }),
);
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
  is_snoozed: Type.Boolean({ description: 'Put aside until `snoozed_until`, or until the customer writes.' }),
  snoozed_until: { ...Nullable(Timestamp), description: 'Null if it is snoozed only until the customer writes.' },
  has_attachment: Type.Boolean(),
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
export const Member = NamedObject('ConversationMember', { id: UserId, name: Type.String(), email: Type.String() });
export type Member = Static<typeof Member>;
const LastMessage = NamedObject('LastMessage', { direction: Direction, excerpt: Type.String(), sent_at: Timestamp });

export const Conversation = named(
  'Conversation',
  extend(ConversationRecord, {
    customer: Nullable(Customer),
    assignee: Nullable(Member),
    last_message: Nullable(LastMessage),
    is_unread: Type.Boolean({
      description:
        'Whether the customer has written since you last looked or answered, in a conversation that is not closed.',
    }),
    has_failed: Type.Boolean({
      description: 'Whether the last message sent to the customer failed.',
    }),
    waiting_since: {
      ...Nullable(Timestamp),
      description:
        'The first message of the customer that has not been answered; null if there is none or it is closed. Automatic ones do not count.',
    },
  }),
);
export type Conversation = Static<typeof Conversation>;

export const DeliveryStatus = Type.Enum(['queued', 'sent', 'delivered', 'read', 'failed', 'logged'], {
  graphqlType: 'MessageDeliveryStatus',
});
export type DeliveryStatus = Static<typeof DeliveryStatus>;
const { direction, body } = outputFields(NewMessage);
export const MessageRecord = NamedObject('ConversationMessageRecord', {
  id: Uuid,
  conversation_id: Uuid,
  direction,
  body,
  user_id: Nullable(UserId),
  delivery_status: {
    ...Nullable(DeliveryStatus),
    description:
      'What has become of a message to the customer. `logged`: it is not sent. Null for other messages and for those from ' +
      'before deliveries were recorded.',
  },
  delivery_reason: {
    ...Nullable(Type.String()),
    description: 'Why it is only logged, why it failed, or why it is still queued.',
  },
  sender: {
    ...Nullable(Type.String()),
    description: 'Who wrote a message to the team, if not from an address of the customer.',
  },
  quoted: { ...Nullable(Type.String()), description: 'The earlier messages that a mail repeats below its text.' },
  has_html: Type.Boolean({
    description: 'Whether it is a mail with HTML: `GET /conversations/{id}/messages/{message}/html`.',
  }),
  is_automatic: Type.Boolean({ description: 'Written by a program, such as an out-of-office reply.' }),
  sent_at: Timestamp,
});
export type MessageRecord = Static<typeof MessageRecord>;

export const Attachment = NamedObject('ConversationAttachment', {
  id: Uuid,
  file_name: Type.String(),
  type: Type.String(),
  size: Type.Integer({ description: 'In bytes.' }),
  reason: { ...Nullable(Type.String()), description: 'Why the file was not kept; null if it can be downloaded.' },
});
export type Attachment = Static<typeof Attachment>;
export const UploadedAttachment = Type.Object({
  file: UploadedFile({ types: ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'], maxBytes: 25_000_000 }),
});
export const AttachmentKey = Type.Object({ id: Uuid, attachment: Uuid });
export const AttachmentLink = NamedObject('ConversationAttachmentLink', {
  url: Type.String({ description: 'A download for five minutes, for everyone who has the link.' }),
});

export const Message = named(
  'ConversationMessage',
  extend(MessageRecord, {
    user: Nullable(Member),
    attachments: Type.Array(Attachment),
    mentions: Type.Array(UserId, { description: 'The members whom a note names with `@` and their name.' }),
  }),
);
export type Message = Static<typeof Message>;
export const MessageKey = Type.Object({ id: Uuid, message: Uuid });

/** A message that came in over a channel. */
export const Received = Type.Object({
  channel: Channel,
  /** Its id on the channel, with the channel: `email:` and the Message-ID. A message that is known is not added again. */
  external_id: Type.String({ minLength: 1 }),
  customer: NewCustomer,
  /** The address or number it came from. */
  contact: Nullable(Type.String()),
  /** The conversation that the channel itself knows, from an address for answers or a session of the widget. */
  conversation_id: Type.Optional(Uuid),
  /** Without a conversation that it belongs to, it begins a new one, also if the customer has a recent one on the channel. */
  is_separate: Type.Optional(Type.Boolean()),
  /** The external ids of the messages that it answers, the nearest first. */
  answers: Type.Optional(Type.Array(Type.String())),
  /** The message of the team that it answers. */
  answered_id: Type.Optional(Uuid),
  subject: Type.Optional(Type.String()),
  body: Type.String(),
  quoted: Type.Optional(Nullable(Type.String())),
  html: Type.Optional(Nullable(Type.String())),
  is_automatic: Type.Optional(Type.Boolean()),
  attachment_ids: Type.Optional(Type.Array(Uuid)),
  /** When it was sent, if it comes in later. */
  sent_at: Type.Optional(Timestamp),
});
export type Received = Static<typeof Received>;
export const ReceivedMessage = Type.Object({
  conversation_id: Uuid,
  message_id: Uuid,
  customer_id: Uuid,
  /** False if the message was known. */
  is_new: Type.Boolean(),
});
export type ReceivedMessage = Static<typeof ReceivedMessage>;

const messages = Type.Array(Message, { description: 'The latest 20, newest first.' });
const ReplyDelivery = NamedObject('ReplyDelivery', {
  is_sent: Type.Boolean({ description: 'Whether a reply is sent to the customer now, and not only logged.' }),
  reason: { ...Nullable(Type.String()), description: 'Why a reply is only logged.' },
  notice: {
    ...Nullable(Type.String()),
    description:
      'What to know about a reply that is sent, such as that answers to it do not come back, or that the visitor of a web chat does not see it now.',
  },
  needs_template: Type.Boolean({
    description: 'WhatsApp: whether only a `template` can be sent. Free text would only be logged.',
  }),
});
export type ReplyDelivery = Static<typeof ReplyDelivery>;
export const ReplyChannel = named('ReplyChannel', extend(ReplyDelivery, { channel: Channel }));
export type ReplyChannel = Static<typeof ReplyChannel>;
/** As the operation of the notifications module returns them. */
export const ReplyTemplates = NamedObject('ReplyTemplates', {
  templates: Type.Array(
    NamedObject('ReplyTemplate', {
      id: Type.String({ description: 'The id of the content template at Twilio.' }),
      name: Type.String(),
      language: Type.String({ examples: ['en'] }),
      body: Type.String({ examples: ['Hello {{1}}, your order is ready.'] }),
      variables: Type.Array(
        NamedObject('ReplyTemplateVariable', {
          name: Type.String({ examples: ['1'] }),
          example: Type.String({ examples: ['Asha'] }),
        }),
      ),
    }),
  ),
  reason: { ...Nullable(Type.String()), description: 'Why there are none.' },
});
export const ConversationDetail = named(
  'ConversationDetail',
  extend(Conversation, { messages, reply_delivery: ReplyDelivery }),
  { graphqlType: 'Conversation' },
);
export type ConversationDetail = Static<typeof ConversationDetail>;
export const Replied = Type.Object({ conversation: Conversation, conversation_message: Message });
export type Replied = Static<typeof Replied>;

export const ConversationCounts = Counts('ConversationCounts', Status);
export type ConversationCounts = Static<typeof ConversationCounts>;
