-- The keys that something in the central database, a tenant's database or a queue may be encrypted with. `chowkd keys:reencrypt`
-- deletes those that are no longer needed; a process that lacks one does not start.
CREATE TABLE sealing_keys (
  id text PRIMARY KEY,
  since timestamptz NOT NULL DEFAULT now()
);
INSERT INTO sealing_keys (id) SELECT key_id FROM installation WHERE key_id IS NOT NULL;
