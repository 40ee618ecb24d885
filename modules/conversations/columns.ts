import { columnsFor, sql } from '@chowk/kit';
import { ConversationRecord, MessageRecord } from './schemas.ts';

/** From a row of `conversations c`. */
export const recordColumns = columnsFor(ConversationRecord, sql`c`);

/** With an excerpt of the latest message, and since when the customer has been waiting for an answer. */
export const columns = sql`${recordColumns}, (
  SELECT json_build_object('direction', m.direction, 'excerpt', left(m.body, 140), 'sent_at', iso(m.sent_at))
  FROM conversation_messages m WHERE m.conversation_id = c.id ORDER BY m.sent_at DESC, m.id DESC LIMIT 1) AS last_message, (
  SELECT min(m.sent_at) FROM conversation_messages m
  WHERE c.status <> 'closed' AND m.conversation_id = c.id AND m.direction = 'inbound' AND m.sent_at > coalesce((
    SELECT o.sent_at FROM conversation_messages o WHERE o.conversation_id = c.id AND o.direction = 'outbound' AND NOT o.is_automatic
    ORDER BY o.sent_at DESC LIMIT 1), '-infinity')) AS waiting_since`;

/** From a row of `conversation_messages m`. */
export const messageColumns = columnsFor(MessageRecord, sql`m`);
