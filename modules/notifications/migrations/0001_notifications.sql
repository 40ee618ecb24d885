CREATE TABLE notifications (
  id uuid PRIMARY KEY,
  -- The recipient, a user of the central database.
  user_id bigint NOT NULL,
  type varchar(100) NOT NULL,
  -- The alias of the module that sent it.
  module varchar(50),
  title text NOT NULL,
  body text,
  icon varchar(50),
  severity varchar(20) NOT NULL DEFAULT 'info' CHECK (severity IN ('info', 'success', 'warning', 'error')),
  action_url text,
  action_label varchar(100),
  -- Not `jsonb`, which refuses some characters. It is only stored and returned.
  data json,
  group_key varchar(100),
  -- How often it was sent, with a `group_key`.
  count integer NOT NULL DEFAULT 1,
  read_at timestamptz,
  -- When it was sent last.
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX notifications_by_user ON notifications (user_id, created_at DESC, id DESC);
CREATE INDEX notifications_unread ON notifications (user_id, created_at DESC, id DESC) WHERE read_at IS NULL;
-- A user has one unread notification of a group.
CREATE UNIQUE INDEX notifications_by_group ON notifications (user_id, module, group_key) NULLS NOT DISTINCT
  WHERE read_at IS NULL AND group_key IS NOT NULL;
