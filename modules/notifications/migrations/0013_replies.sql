-- A reply of a conversation has the id of the message there.
ALTER TABLE messages
  ADD COLUMN is_reply boolean NOT NULL DEFAULT false,
  -- The thread that a mail belongs to.
  ADD COLUMN letter jsonb,
  -- The approved template of a WhatsApp message, with its variables.
  ADD COLUMN template jsonb,
  -- As the provider reports.
  ADD COLUMN delivered_at timestamptz,
  ADD COLUMN read_at timestamptz;
