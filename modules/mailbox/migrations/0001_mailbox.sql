-- The mails of the last days, without their content: one that comes again is known, and so is a sender who writes too often.
CREATE TABLE mailbox_mails (
  -- SHA-256 of the Message-ID.
  id_hash text PRIMARY KEY,
  -- SHA-256 of the sender's address.
  sender_hash text NOT NULL,
  received_at timestamptz NOT NULL
);
CREATE INDEX mailbox_mails_by_sender ON mailbox_mails (sender_hash, received_at);
CREATE INDEX mailbox_mails_by_time ON mailbox_mails (received_at);
