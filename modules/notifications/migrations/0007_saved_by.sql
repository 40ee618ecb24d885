-- The user whose permissions decide what the rule sends. NULL: nobody.
ALTER TABLE notification_rules ADD COLUMN saved_by bigint;
