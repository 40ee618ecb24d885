CREATE TABLE conversations (
  id uuid PRIMARY KEY,
  -- A row of `customers`; whoever writes it holds the customer's lock, and a merge takes it along.
  customer_id uuid NOT NULL,
  channel text NOT NULL CHECK (channel IN ('email', 'sms', 'whatsapp', 'webchat', 'phone', 'other')),
  subject text NOT NULL DEFAULT '',
  status text NOT NULL CHECK (status IN ('open', 'pending', 'closed')),
  -- A user of the central database.
  assignee_id bigint,
  message_count integer NOT NULL DEFAULT 0,
  -- When it began, as long as nothing was said.
  last_message_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  subject_key text NOT NULL GENERATED ALWAYS AS (fold(subject)) STORED
);
CREATE INDEX conversations_by_message ON conversations (last_message_at DESC, id DESC);
CREATE INDEX conversations_by_creation ON conversations (created_at DESC, id DESC);
CREATE INDEX conversations_by_status ON conversations (status, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_assignee ON conversations (assignee_id, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_customer ON conversations (customer_id, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_subject ON conversations USING gin (subject_key gin_trgm_ops);

CREATE TABLE conversation_messages (
  id uuid PRIMARY KEY,
  conversation_id uuid NOT NULL REFERENCES conversations,
  direction text NOT NULL CHECK (direction IN ('inbound', 'outbound', 'note')),
  body text NOT NULL DEFAULT '',
  -- Who of the team wrote it; nobody, if the customer did or the platform by itself.
  user_id bigint,
  sent_at timestamptz NOT NULL
);
CREATE INDEX conversation_messages_by_conversation ON conversation_messages (conversation_id, sent_at DESC, id DESC);

-- How many conversations there are of each status, without counting them: the sum of all rows. Whoever changes
-- conversations adds a row and waits for nobody; now and then somebody makes one row of them.
CREATE TABLE conversation_counts (
  open bigint NOT NULL,
  pending bigint NOT NULL,
  closed bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE FUNCTION fold_conversation_counts() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- One at a time; who finds another at it goes on with its own work.
  IF NOT pg_try_advisory_xact_lock(hashtext('fold_conversation_counts')) THEN RETURN; END IF;
  WITH gone AS (DELETE FROM conversation_counts RETURNING *)
  INSERT INTO conversation_counts (open, pending, closed)
  SELECT sum(open), sum(pending), sum(closed) FROM gone HAVING count(*) > 0;
END $$;

-- Often enough that few rows wait, seldom enough that nobody notices.
CREATE FUNCTION fold_conversation_counts_sometimes() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF random() < 0.02 THEN PERFORM fold_conversation_counts(); END IF;
END $$;

CREATE FUNCTION count_inserted_conversations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO conversation_counts (open, pending, closed)
  SELECT count(*) FILTER (WHERE status = 'open'), count(*) FILTER (WHERE status = 'pending'),
    count(*) FILTER (WHERE status = 'closed')
  FROM inserted HAVING count(*) > 0;
  PERFORM fold_conversation_counts_sometimes();
  RETURN NULL;
END $$;
CREATE TRIGGER conversations_inserted AFTER INSERT ON conversations REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_conversations();

CREATE FUNCTION count_removed_conversations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO conversation_counts (open, pending, closed)
  SELECT -count(*) FILTER (WHERE status = 'open'), -count(*) FILTER (WHERE status = 'pending'),
    -count(*) FILTER (WHERE status = 'closed')
  FROM removed HAVING count(*) > 0;
  PERFORM fold_conversation_counts_sometimes();
  RETURN NULL;
END $$;
CREATE TRIGGER conversations_removed AFTER DELETE ON conversations REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_removed_conversations();

CREATE FUNCTION count_changed_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO conversation_counts (open, pending, closed) VALUES (
    (new.status = 'open')::integer - (old.status = 'open')::integer,
    (new.status = 'pending')::integer - (old.status = 'pending')::integer,
    (new.status = 'closed')::integer - (old.status = 'closed')::integer);
  PERFORM fold_conversation_counts_sometimes();
  RETURN NULL;
END $$;
CREATE TRIGGER conversations_changed AFTER UPDATE OF status ON conversations FOR EACH ROW
  WHEN (old.status <> new.status) EXECUTE FUNCTION count_changed_conversation();
