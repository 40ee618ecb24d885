-- The user whose permissions decide which events the webhook gets. NULL: nobody.
ALTER TABLE webhooks ADD COLUMN saved_by bigint;
