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
  -- The customer whose data it contains, and with whom it is erased.
  customer_id uuid,
  -- How often it was sent, with a `group_key`.
  count integer NOT NULL DEFAULT 1,
  read_at timestamptz,
  -- When it was sent last.
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- The transaction that sent it last, and those that had committed when it was sent first: see the filter `after`.
  sent_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
  sent_with pg_snapshot NOT NULL DEFAULT pg_current_snapshot()
);
CREATE INDEX notifications_by_user ON notifications (user_id, created_at DESC, id DESC);
CREATE INDEX notifications_unread ON notifications (user_id, created_at DESC, id DESC) WHERE read_at IS NULL;
CREATE INDEX notifications_by_customer ON notifications (customer_id) WHERE customer_id IS NOT NULL;
-- A user has one unread notification of a group.
CREATE UNIQUE INDEX notifications_by_group ON notifications (user_id, module, group_key) NULLS NOT DISTINCT
  WHERE read_at IS NULL AND group_key IS NOT NULL;

-- Maintains the counters `notifications.unread.<user>` and `notifications.read.<user>`.
CREATE FUNCTION notification_counter(n notifications) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT 'notifications.' || CASE WHEN n.read_at IS NULL THEN 'unread.' ELSE 'read.' END || n.user_id;
$$;

CREATE FUNCTION count_inserted_notifications() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE added bigint;
BEGIN
  INSERT INTO counters SELECT notification_counter(n), count(*) FROM inserted n GROUP BY 1;
  GET DIAGNOSTICS added = ROW_COUNT;
  PERFORM maybe_compact_counters(added);
  RETURN NULL;
END $$;
CREATE TRIGGER notifications_inserted AFTER INSERT ON notifications REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_notifications();

CREATE FUNCTION count_removed_notifications() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE added bigint;
BEGIN
  INSERT INTO counters SELECT notification_counter(n), -count(*) FROM removed n GROUP BY 1;
  GET DIAGNOSTICS added = ROW_COUNT;
  PERFORM maybe_compact_counters(added);
  RETURN NULL;
END $$;
CREATE TRIGGER notifications_removed AFTER DELETE ON notifications REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_removed_notifications();

CREATE FUNCTION count_changed_notifications() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE added bigint;
BEGIN
  INSERT INTO counters
  SELECT name, sum(change) FROM (
    SELECT notification_counter(n) AS name, 1 AS change FROM changed n
    UNION ALL SELECT notification_counter(n), -1 FROM previous n) AS changes
  GROUP BY name HAVING sum(change) <> 0;
  GET DIAGNOSTICS added = ROW_COUNT;
  PERFORM maybe_compact_counters(added);
  RETURN NULL;
END $$;
CREATE TRIGGER notifications_changed AFTER UPDATE ON notifications
  REFERENCING OLD TABLE AS previous NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_changed_notifications();
