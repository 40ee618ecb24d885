-- With their triggers.
DROP FUNCTION count_inserted_notifications(), count_removed_notifications(), count_changed_notifications() CASCADE;
DROP FUNCTION notification_counter(notifications);

SELECT maintain_counters('notifications', $$
  SELECT 'notifications.' || CASE WHEN r.read_at IS NULL THEN 'unread.' ELSE 'read.' END || r.user_id $$);
