-- Conditions on the fields of the event, as rules of notifications have them. All must hold.
ALTER TABLE webhooks ADD COLUMN conditions jsonb NOT NULL DEFAULT '[]';
