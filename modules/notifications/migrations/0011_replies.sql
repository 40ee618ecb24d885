-- A reply of a conversation has the id of the message there.
ALTER TABLE messages
  ADD COLUMN is_reply boolean NOT NULL DEFAULT false,
  -- The thread that a mail belongs to.
  ADD COLUMN letter jsonb,
  -- As the provider reports.
  ADD COLUMN delivered_at timestamptz,
  ADD COLUMN read_at timestamptz;
CREATE INDEX messages_by_provider_id ON messages (provider_message_id) WHERE provider_message_id IS NOT NULL;
