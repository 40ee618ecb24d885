CREATE TABLE widget_sessions (
  id uuid PRIMARY KEY,
  -- SHA-256: the token itself is only in the browser of the visitor.
  token_hash text NOT NULL UNIQUE,
  -- The realtime channel that says when there is something new. Nobody else knows its name.
  channel text NOT NULL,
  -- The id of the user in the shop, if the shop has proved who the visitor is.
  subject text,
  email text,
  name text,
  -- Null until the first message.
  conversation_id uuid,
  customer_id uuid,
  -- A hash of the network that the session was started from; null after a day.
  network text,
  -- Messages within the minute that began at `counted_since`.
  sent_count integer NOT NULL DEFAULT 0,
  counted_since timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX widget_sessions_by_conversation ON widget_sessions (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX widget_sessions_by_customer ON widget_sessions (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX widget_sessions_by_subject ON widget_sessions (subject) WHERE subject IS NOT NULL;
CREATE INDEX widget_sessions_by_network ON widget_sessions (network, created_at) WHERE network IS NOT NULL;
CREATE INDEX widget_sessions_by_expiry ON widget_sessions (expires_at);

CREATE TABLE widget_secrets (
  name text PRIMARY KEY,
  secret text NOT NULL,
  created_at timestamptz NOT NULL
);
