-- Followers of the lists miss no change.
SELECT stamp_changes('notifications');
SELECT stamp_changes('notification_rules');
SELECT stamp_changes('messages');
