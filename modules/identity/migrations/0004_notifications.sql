-- Notifications that were sent without a tenant. Those of tenants are in their databases.
CREATE TABLE notifications (
  id uuid PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  type varchar(100) NOT NULL,
  module varchar(50),
  title text NOT NULL,
  body text,
  icon varchar(50),
  severity varchar(20) NOT NULL DEFAULT 'info' CHECK (severity IN ('info', 'success', 'warning', 'error')),
  action_url text,
  action_label varchar(100),
  data json,
  group_key varchar(100),
  read_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX notifications_by_user ON notifications (user_id, created_at DESC);
