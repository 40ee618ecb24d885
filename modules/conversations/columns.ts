import { sql } from '@chowk/kit';

/** A conversation by itself, from a row of `conversations c`. */
export const recordColumns = sql`c.id, c.customer_id, c.channel, c.subject, c.status, c.assignee_id, c.message_count,
  c.last_message_at, c.created_at, c.updated_at`;

/** The same with the beginning of what was said last. */
export const columns = sql`${recordColumns}, (
  SELECT json_build_object('direction', m.direction, 'excerpt', left(m.body, 140), 'sent_at', iso(m.sent_at))
  FROM conversation_messages m WHERE m.conversation_id = c.id ORDER BY m.sent_at DESC, m.id DESC LIMIT 1) AS last_message`;

/** From a row of `conversation_messages m`. */
export const messageColumns = sql`m.id, m.conversation_id, m.direction, m.body, m.user_id, m.sent_at`;
