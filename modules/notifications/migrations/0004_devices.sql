CREATE TABLE devices (
  id uuid PRIMARY KEY,
  user_id bigint NOT NULL,
  -- A session of the central database. The device gets no messages after it has ended.
  session_id uuid NOT NULL,
  -- The registration token of Firebase Cloud Messaging.
  token text NOT NULL UNIQUE,
  platform text NOT NULL CHECK (platform IN ('ios', 'android', 'web')),
  created_at timestamptz NOT NULL,
  -- When it was registered last.
  updated_at timestamptz NOT NULL
);
CREATE INDEX devices_by_user ON devices (user_id, updated_at);
