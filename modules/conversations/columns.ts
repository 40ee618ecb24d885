import { type Ctx, columnsFor, type Sql, sql } from '@chowk/kit';
import { ConversationRecord, MessageRecord } from './schemas.ts';

/** From a row of `conversations c`. */
export const recordColumns = columnsFor(ConversationRecord, sql`c`);

/** Whether the customer has written since the caller last looked, in a conversation that is not closed. */
export function isUnread(ctx: Ctx): Sql {
  return sql`(c.status <> 'closed' AND coalesce(c.last_inbound_at > coalesce((
    SELECT r.read_at FROM conversation_reads r WHERE r.conversation_id = c.id AND r.user_id = ${ctx.userId ?? null}::bigint),
    '-infinity'), false))`;
}

/** Whether the last message sent to the customer failed. */
export const hasFailed = sql`EXISTS (
  SELECT FROM conversation_messages f WHERE f.conversation_id = c.id AND f.delivery_status = 'failed' AND NOT EXISTS (
    SELECT FROM conversation_messages o WHERE o.conversation_id = c.id AND o.direction = 'outbound'
      AND o.delivery_status <> 'failed' AND (o.sent_at, o.id) > (f.sent_at, f.id)))`;

/** With an excerpt of the latest message, and since when the customer has been waiting for an answer. */
export const columns = (
  ctx: Ctx,
): Sql => sql`${recordColumns}, ${isUnread(ctx)} AS is_unread, ${hasFailed} AS has_failed, (
  SELECT json_build_object('direction', m.direction, 'excerpt', left(m.body, 140), 'sent_at', iso(m.sent_at))
  FROM conversation_messages m WHERE m.conversation_id = c.id ORDER BY m.sent_at DESC, m.id DESC LIMIT 1) AS last_message, (
  SELECT min(m.sent_at) FROM conversation_messages m
  WHERE c.status <> 'closed' AND m.conversation_id = c.id AND m.direction = 'inbound' AND NOT m.is_automatic
    AND m.sent_at > coalesce((
    SELECT o.sent_at FROM conversation_messages o WHERE o.conversation_id = c.id AND o.direction = 'outbound' AND NOT o.is_automatic
    ORDER BY o.sent_at DESC LIMIT 1), '-infinity')) AS waiting_since`;

/** From a row of `conversation_messages m`. */
export const messageColumns = columnsFor(MessageRecord, sql`m`, { has_html: sql`(m.html IS NOT NULL)` });
