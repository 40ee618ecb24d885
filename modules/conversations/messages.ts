import { byTime, type Ctx, equals, list, sql, Uuid } from '@chowk/kit';
import { messageColumns, recordColumns } from './columns.ts';
import { withAuthors } from './people.ts';
import { type ConversationRecord, Message, type MessageRecord, type NewMessage } from './schemas.ts';

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
  complete: withAuthors,
});

export async function latestMessages(ctx: Ctx, { id }: { id: string }): Promise<Message[]> {
  const messages = await ctx.db.rows<MessageRecord>(sql`
    SELECT ${messageColumns} FROM conversation_messages m WHERE conversation_id = ${id}
    ORDER BY sent_at DESC, id DESC LIMIT 20`);
  return withAuthors(ctx, messages);
}

/** Adds a message to a locked or new conversation. An inbound message reopens it. */
export async function addMessage(
  ctx: Ctx,
  { id, status }: ConversationRecord,
  { direction, body }: NewMessage,
): Promise<{ conversation: ConversationRecord; message: MessageRecord }> {
  const now = ctx.now();
  const author = direction === 'inbound' ? null : (ctx.userId ?? null);
  const message = (await ctx.db.row<MessageRecord>(sql`
    INSERT INTO conversation_messages AS m (id, conversation_id, direction, body, user_id, sent_at)
    VALUES (${ctx.newId()}, ${id}, ${direction}, ${body}, ${author}, ${now}) RETURNING ${messageColumns}`)) as MessageRecord;
  const conversation = (await ctx.db.row<ConversationRecord>(sql`
    UPDATE conversations c SET message_count = message_count + 1, status = ${direction === 'inbound' ? 'open' : status},
      last_message_at = greatest(last_message_at, ${message.sent_at}), updated_at = ${now}
    WHERE id = ${id} RETURNING ${recordColumns}`)) as ConversationRecord;
  return { conversation, message };
}
