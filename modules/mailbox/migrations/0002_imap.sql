-- The mailbox of the tenant from which mails are fetched.
CREATE TABLE imap_mailboxes (
  id uuid PRIMARY KEY,
  -- The address at which it gets mails.
  address text NOT NULL,
  host text NOT NULL,
  port integer NOT NULL,
  security text NOT NULL CHECK (security IN ('tls', 'starttls', 'none')),
  username text NOT NULL,
  -- Sealed.
  password text NOT NULL,
  folder text NOT NULL,
  import_days integer NOT NULL,
  mark_seen boolean NOT NULL,
  -- Mails that came before are not fetched.
  since timestamptz NOT NULL,
  -- Mails up to `last_uid` are fetched, as long as the folder has this UIDVALIDITY.
  uid_validity bigint,
  last_uid bigint NOT NULL DEFAULT 0,
  -- How often the mail after `last_uid` could not be added.
  attempts integer NOT NULL DEFAULT 0,
  -- When a fetch last reached the newest mail.
  fetched_at timestamptz,
  next_fetch_at timestamptz NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  failure text,
  -- Whether the Owners know of it.
  is_reported boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX imap_mailboxes_one ON imap_mailboxes ((true));
