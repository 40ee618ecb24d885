import { byTime, type Ctx, equals, list, type Sql, sql, Uuid } from '@chowk/kit';
import { attach, withAttachments } from './attachments.ts';
import { messageColumns, recordColumns } from './columns.ts';
import { withMentions } from './mentions.ts';
import { withAuthors } from './people.ts';
import { type ConversationRecord, Message, type MessageRecord } from './schemas.ts';

export const messageList = list({
  name: 'messages',
  row: Message,
  from: sql`conversation_messages m`,
  alias: sql`m`,
  columns: messageColumns,
  scope: { id: equals(Uuid, sql`m.conversation_id`) },
  sorts: { sent_at: byTime(sql`m.sent_at`) },
  updatedAt: sql`m.sent_at`,
  total: (_ctx, { id, ...filters }) =>
    Object.keys(filters).length === 0
      ? sql`SELECT message_count AS total FROM conversations WHERE id = ${id}`
      : undefined,
  complete: completeMessages,
});

/** Adds the authors, the attachments and the mentions. */
export async function completeMessages(ctx: Ctx, messages: readonly MessageRecord[]): Promise<Message[]> {
  return withMentions(ctx, await withAttachments(ctx, await withAuthors(ctx, messages)));
}

export async function latestMessages(ctx: Ctx, { id }: { id: string }): Promise<Message[]> {
  const messages = await ctx.db.rows<MessageRecord>(sql`
    SELECT ${messageColumns} FROM conversation_messages m WHERE conversation_id = ${id}
    ORDER BY sent_at DESC, id DESC LIMIT 20`);
  return completeMessages(ctx, messages);
}

type AddedFields = Pick<MessageRecord, 'direction' | 'body'> &
  Partial<Omit<MessageRecord, 'direction' | 'body' | 'conversation_id' | 'user_id' | 'has_html'>> & {
    readonly external_id?: string | null;
    /** The channel that it came in over. */
    readonly received_on?: ConversationRecord['channel'];
    readonly html?: string | null;
    readonly attachment_ids?: readonly string[];
    /** The address that an inbound message came from, if it is not that of the customer. */
    readonly contact?: string | null;
  };

export interface Added {
  readonly conversation: ConversationRecord;
  readonly message: MessageRecord;
}

/** Adds a message to a locked or new conversation. One that a customer has written, and no program, reopens and wakes it. */
export async function addMessage(ctx: Ctx, { id, channel }: ConversationRecord, fields: AddedFields): Promise<Added> {
  const { direction, body, id: messageId = ctx.newId(), delivery_status = null, delivery_reason = null } = fields;
  const {
    sender = null,
    quoted = null,
    html = null,
    is_automatic = false,
    external_id = null,
    received_on = null,
  } = fields;
  const now = ctx.now();
  // A trigger replaces a time of the last hour, so that the messages of now are in the order in which they came in.
  const { sent_at = now } = fields;
  const isInbound = direction === 'inbound';
  const isForVisitor = channel === 'webchat' && isShownInChat({ direction, delivery_status, external_id });
  const author = isInbound ? null : (ctx.userId ?? null);
  const message = (await ctx.db.row<MessageRecord>(sql`
    INSERT INTO conversation_messages AS m (id, conversation_id, direction, body, user_id, delivery_status, delivery_reason,
      external_id, received_on, sender, quoted, html, is_automatic, is_for_visitor, sent_at)
    VALUES (${messageId}, ${id}, ${direction}, ${body}, ${author}, ${delivery_status}, ${delivery_reason}, ${external_id}, ${received_on},
      ${sender}, ${quoted}, ${html}, ${is_automatic}, ${isForVisitor}, ${sent_at}) RETURNING ${messageColumns}`)) as MessageRecord;
  await attach(ctx, message.id, fields.attachment_ids ?? []);
  const received =
    isInbound && !is_automatic
      ? sql`, status = 'open', closed_at = NULL, closed_by = NULL, last_inbound_at = ${now}, contact = ${fields.contact ?? null},
        is_snoozed = false, snoozed_until = NULL`
      : sql``;
  const hasFiles = (fields.attachment_ids ?? []).length > 0;
  const conversation = (await ctx.db.row<ConversationRecord>(sql`
    UPDATE conversations c SET message_count = message_count + 1, updated_at = ${now},
      last_message_at = greatest(last_message_at, ${message.sent_at}), has_attachment = has_attachment OR ${hasFiles}
      ${firstAnswer(message)} ${received}
    FROM conversation_messages m WHERE c.id = ${id} AND m.id = ${message.id} RETURNING ${recordColumns}`)) as ConversationRecord;
  return { conversation, message };
}

/** The first message of the customer and the first answer to it, for the figures. Programs do not count. */
function firstAnswer({ direction, is_automatic }: MessageRecord): Sql {
  if (is_automatic || direction === 'note') return sql``;
  if (direction === 'inbound') return sql`, first_inbound_at = coalesce(c.first_inbound_at, m.sent_at)`;
  const isFirst = sql`c.first_answer_at IS NULL AND c.first_inbound_at IS NOT NULL`;
  return sql`, first_answer_at = CASE WHEN ${isFirst} THEN m.sent_at ELSE c.first_answer_at END,
      first_answer_by = CASE WHEN ${isFirst} THEN m.user_id ELSE c.first_answer_by END`;
}

type Shown = Pick<MessageRecord, 'direction' | 'delivery_status'> & { readonly external_id: string | null };

/** Not notes, what is only logged, and what the customer wrote elsewhere, such as in a mail. */
function isShownInChat({ direction, delivery_status, external_id }: Shown): boolean {
  if (direction === 'inbound') return external_id?.startsWith('widget:') ?? false;
  return direction === 'outbound' && delivery_status !== 'logged';
}
