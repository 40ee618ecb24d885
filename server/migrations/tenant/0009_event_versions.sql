-- The version of the module that emitted the event; NULL: unknown. If the modules of the tenant's ring cannot read the payload of
-- that version, the delivery waits, and `waits_for` says for what.
ALTER TABLE event_deliveries ADD COLUMN version text, ADD COLUMN waits_for text;
CREATE INDEX event_deliveries_postponed ON event_deliveries (listener, about) WHERE attempts > 0 OR waits_for IS NOT NULL;
