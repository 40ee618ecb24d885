ALTER TABLE conversations
  ADD COLUMN is_snoozed boolean NOT NULL DEFAULT false,
  -- Null while it is snoozed until the customer writes.
  ADD COLUMN snoozed_until timestamptz,
  ADD COLUMN snoozed_by bigint,
  ADD COLUMN has_attachment boolean NOT NULL DEFAULT false,
  -- The day of the tenant on which it was last answered automatically.
  ADD COLUMN answered_on date,
  -- Figures. Messages that programs have written do not count.
  ADD COLUMN first_inbound_at timestamptz,
  ADD COLUMN first_answer_at timestamptz,
  ADD COLUMN first_answer_by bigint,
  ADD COLUMN closed_by bigint;
CREATE INDEX conversations_snoozed ON conversations (last_message_at DESC, id DESC) WHERE is_snoozed;
CREATE INDEX conversations_to_wake ON conversations (snoozed_until) WHERE is_snoozed;
CREATE INDEX conversations_with_attachment ON conversations (last_message_at DESC, id DESC) WHERE has_attachment;
CREATE INDEX conversations_by_first_answer ON conversations (first_answer_at) WHERE first_answer_at IS NOT NULL;
CREATE INDEX conversations_by_closing ON conversations (closed_at) WHERE closed_at IS NOT NULL;

-- The words of a text, without case and accents. Not `to_tsvector`: what it takes for letters depends on the locale of the server.
CREATE FUNCTION words_in(text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
  RETURN ARRAY(
    SELECT left(word, 100) FROM regexp_split_to_table(fold($1), '[\s!-/:-@\[-`{-~\u0964\u0965\u2000-\u206f\u3000-\u303f]+') AS word
    WHERE word <> '');
CREATE FUNCTION message_words(text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
  RETURN array_to_tsvector(words_in($1));
-- All words of the text, each also as the beginning of a longer one. Null for a text without words.
CREATE FUNCTION message_query(text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
  RETURN (SELECT string_agg('''' || word || ''':*', ' & ')::tsquery FROM unnest(words_in($1)) AS word);
CREATE INDEX conversation_messages_by_words ON conversation_messages USING gin (message_words(body));
CREATE INDEX conversation_messages_sent ON conversation_messages (sent_at) WHERE delivery_status IS NOT NULL;

UPDATE conversations c SET has_attachment = true
WHERE EXISTS (
  SELECT FROM conversation_messages m JOIN conversation_attachments a ON a.message_id = m.id WHERE m.conversation_id = c.id);

-- Also after conversations were merged.
CREATE FUNCTION keep_first_answer(conversation uuid) RETURNS void LANGUAGE sql AS $$
  UPDATE conversations c SET first_inbound_at = inbound.at, first_answer_at = answer.sent_at, first_answer_by = answer.user_id
  FROM (SELECT min(m.sent_at) AS at FROM conversation_messages m
      WHERE m.conversation_id = conversation AND m.direction = 'inbound' AND NOT m.is_automatic) inbound
    LEFT JOIN LATERAL (SELECT m.sent_at, m.user_id FROM conversation_messages m
      WHERE m.conversation_id = conversation AND m.direction = 'outbound' AND NOT m.is_automatic AND m.sent_at >= inbound.at
      ORDER BY m.sent_at, m.id LIMIT 1) answer ON true
  WHERE c.id = conversation
$$;
SELECT count(keep_first_answer(id)) FROM conversations;

CREATE TABLE conversation_mentions (
  message_id uuid NOT NULL REFERENCES conversation_messages ON DELETE CASCADE,
  user_id bigint NOT NULL,
  PRIMARY KEY (message_id, user_id)
);

-- Conversations that are now part of another one.
CREATE TABLE merged_conversations (
  id uuid PRIMARY KEY,
  merged_into uuid NOT NULL REFERENCES conversations ON DELETE CASCADE,
  merged_at timestamptz NOT NULL
);
CREATE INDEX merged_conversations_by_target ON merged_conversations (merged_into);

-- Members who answer. One without a row is available, and has had no turn.
CREATE TABLE conversation_agents (
  user_id bigint PRIMARY KEY,
  is_available boolean NOT NULL DEFAULT true,
  -- The higher, the later a conversation was last assigned to the member in turn.
  turn bigint NOT NULL DEFAULT 0
);
