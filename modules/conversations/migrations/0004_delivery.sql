ALTER TABLE conversations
  -- The address or number that the customer last wrote from, if it is not that of the customer.
  ADD COLUMN contact text,
  ADD COLUMN last_inbound_at timestamptz,
  -- Null while it is not closed, and for those that were closed before this column existed.
  ADD COLUMN closed_at timestamptz;

ALTER TABLE conversation_messages
  -- What has become of a message to the customer: queued, sent, delivered, read, failed or logged. Null for others.
  ADD COLUMN delivery_status text,
  -- Why it is only logged, why it failed, or why it is still queued.
  ADD COLUMN delivery_reason text,
  -- Its id on the channel, with the channel: `email:` and the Message-ID, `twilio:` and the id there.
  ADD COLUMN external_id text,
  -- Who wrote an inbound message, if that is not an address of the customer.
  ADD COLUMN sender text,
  -- The text of earlier messages below the text of a mail.
  ADD COLUMN quoted text,
  ADD COLUMN html text,
  -- Written by a program, such as an out-of-office reply.
  ADD COLUMN is_automatic boolean NOT NULL DEFAULT false;
CREATE UNIQUE INDEX conversation_messages_by_external_id ON conversation_messages (external_id)
  WHERE external_id IS NOT NULL;

CREATE TABLE conversation_attachments (
  id uuid PRIMARY KEY,
  -- Null until the message is added.
  message_id uuid REFERENCES conversation_messages,
  -- Null if the file was not kept.
  file_id uuid,
  file_name text NOT NULL,
  type text NOT NULL,
  size bigint NOT NULL,
  -- Why the file was not kept.
  reason text,
  user_id bigint,
  created_at timestamptz NOT NULL
);
CREATE INDEX conversation_attachments_by_message ON conversation_attachments (message_id);
CREATE INDEX conversation_attachments_waiting ON conversation_attachments (created_at) WHERE message_id IS NULL;
