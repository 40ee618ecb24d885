-- What a user has changed; everything else has its default.
CREATE TABLE notification_preferences (
  user_id bigint PRIMARY KEY,
  -- The channels of types without their own: {"push": false}.
  defaults jsonb NOT NULL DEFAULT '{}',
  -- By type: {"order.created": {"email": "digest"}}.
  types jsonb NOT NULL DEFAULT '{}',
  -- In minutes since midnight.
  quiet_from smallint CHECK (quiet_from BETWEEN 0 AND 1439),
  quiet_to smallint CHECK (quiet_to BETWEEN 0 AND 1439),
  time_zone text,
  digest_hour smallint NOT NULL DEFAULT 8 CHECK (digest_hour BETWEEN 0 AND 23),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CHECK ((quiet_from IS NULL) = (quiet_to IS NULL) AND quiet_from <> quiet_to)
);

-- The notifications that the next digest of a user will list, if they are still unread.
CREATE TABLE notification_digest_items (
  user_id bigint NOT NULL,
  notification_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, notification_id)
);
