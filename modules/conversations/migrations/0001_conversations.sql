CREATE TABLE conversations (
  id uuid PRIMARY KEY,
  -- A row of `customers`, locked before this one is written.
  customer_id uuid NOT NULL,
  channel text NOT NULL CHECK (channel IN ('email', 'sms', 'whatsapp', 'webchat', 'phone', 'other')),
  subject text NOT NULL DEFAULT '',
  status text NOT NULL CHECK (status IN ('open', 'pending', 'closed')),
  -- A user of the central database.
  assignee_id bigint,
  message_count integer NOT NULL DEFAULT 0,
  -- The time of creation if there is no message.
  last_message_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  subject_key text NOT NULL GENERATED ALWAYS AS (fold(subject)) STORED
);
CREATE INDEX conversations_by_message ON conversations (last_message_at DESC, id DESC);
CREATE INDEX conversations_by_creation ON conversations (created_at DESC, id DESC);
CREATE INDEX conversations_by_update ON conversations (updated_at, id);
CREATE INDEX conversations_by_status ON conversations (status, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_assignee ON conversations (assignee_id, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_customer ON conversations (customer_id, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_subject ON conversations USING gin (subject_key gin_trgm_ops);

CREATE TABLE conversation_messages (
  id uuid PRIMARY KEY,
  conversation_id uuid NOT NULL REFERENCES conversations,
  direction text NOT NULL CHECK (direction IN ('inbound', 'outbound', 'note')),
  body text NOT NULL DEFAULT '',
  -- The author; null if the customer or the platform wrote it.
  user_id bigint,
  sent_at timestamptz NOT NULL
);
CREATE INDEX conversation_messages_by_conversation ON conversation_messages (conversation_id, sent_at DESC, id DESC);

-- Maintains the counters `conversations.open`, `conversations.pending` and `conversations.closed`.
CREATE FUNCTION count_inserted_conversations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counters SELECT 'conversations.' || status, count(*) FROM inserted GROUP BY status;
  PERFORM maybe_compact_counters(1);
  RETURN NULL;
END $$;
CREATE TRIGGER conversations_inserted AFTER INSERT ON conversations REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_conversations();

CREATE FUNCTION count_removed_conversations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counters SELECT 'conversations.' || status, -count(*) FROM removed GROUP BY status;
  PERFORM maybe_compact_counters(1);
  RETURN NULL;
END $$;
CREATE TRIGGER conversations_removed AFTER DELETE ON conversations REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_removed_conversations();

CREATE FUNCTION count_changed_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counters VALUES ('conversations.' || old.status, -1), ('conversations.' || new.status, 1);
  PERFORM maybe_compact_counters(2);
  RETURN NULL;
END $$;
CREATE TRIGGER conversations_changed AFTER UPDATE OF status ON conversations FOR EACH ROW
  WHEN (old.status <> new.status) EXECUTE FUNCTION count_changed_conversation();
