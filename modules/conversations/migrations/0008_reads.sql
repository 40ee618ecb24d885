-- When a member last looked at a conversation.
CREATE TABLE conversation_reads (
  conversation_id uuid NOT NULL REFERENCES conversations ON DELETE CASCADE,
  -- A user of the central database.
  user_id bigint NOT NULL,
  read_at timestamptz NOT NULL,
  PRIMARY KEY (conversation_id, user_id)
);

CREATE INDEX conversation_messages_failed ON conversation_messages (conversation_id) WHERE delivery_status = 'failed';
