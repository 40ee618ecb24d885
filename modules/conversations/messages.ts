import { type Ctx, invalid, offsetOf, type Paging, paginationOf, sql } from '@chowk/kit';
import { messageColumns, recordColumns } from './columns.ts';
import { fail } from './errors.ts';
import { withAuthors } from './people.ts';
import type { ConversationRecord, MessageRecord, NewMessage } from './schemas.ts';

/** Writes a message into a conversation that the transaction has locked or made. */
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
  const next = direction === 'inbound' ? 'open' : status;
  const conversation = (await ctx.db.row<ConversationRecord>(sql`
    UPDATE conversations c SET message_count = message_count + 1, status = ${next},
      last_message_at = greatest(last_message_at, ${now}), updated_at = ${now}
    WHERE id = ${id} RETURNING ${recordColumns}`)) as ConversationRecord;
  return { conversation, message };
}

/** A page of what was said, the newest first. */
export async function listMessages(ctx: Ctx, { id }: { id: string }, paging: Paging) {
  const [messages, counted] = await Promise.all([
    latestMessages(ctx, id, paging),
    ctx.db.row<{ total: number }>(sql`SELECT message_count AS total FROM conversations WHERE id = ${id}`),
  ]);
  if (!counted) throw fail('conversations.not_found', { id });
  return { messages: await withAuthors(ctx, messages), pagination: paginationOf(paging, counted.total) };
}

export function latestMessages(ctx: Ctx, id: string, paging: Paging): Promise<MessageRecord[]> {
  return ctx.db.rows<MessageRecord>(sql`
    SELECT ${messageColumns} FROM conversation_messages m WHERE conversation_id = ${id}
    ORDER BY sent_at DESC, id DESC LIMIT ${paging.per_page} OFFSET ${offsetOf(paging)}`);
}

export function mustSaySomething({ body }: { body: string }, field: string): void {
  if (body.trim() === '') throw invalid({ [field]: ['The body must not be empty.'] });
}
