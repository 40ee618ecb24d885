-- A mailed link to choose a new password. Kept as a hash, good once.
CREATE TABLE password_resets (
  token_hash bytea PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX password_resets_by_user ON password_resets (user_id);

-- Changed addresses, and what undoes the change: the old address holds the link.
CREATE TABLE email_changes (
  token_hash bytea PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  old_email text NOT NULL,
  old_verified_at timestamptz,
  -- Whoever took the account may have changed the password too.
  old_password_hash text NOT NULL,
  new_email text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  undone_at timestamptz
);
CREATE INDEX email_changes_by_user ON email_changes (user_id, created_at);

CREATE TABLE invitations (
  id uuid PRIMARY KEY,
  tenant_id text NOT NULL REFERENCES tenants ON DELETE CASCADE,
  email text NOT NULL CHECK (email = lower(email)),
  role_id bigint NOT NULL REFERENCES roles ON DELETE CASCADE,
  token_hash bytea NOT NULL UNIQUE,
  invited_by bigint REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz,
  revoked_at timestamptz
);
-- One open invitation an address: the next one takes its place.
CREATE UNIQUE INDEX invitations_one_open ON invitations (tenant_id, email) WHERE accepted_at IS NULL AND revoked_at IS NULL;

-- What gets in when the telephone with the codes is lost; each once.
CREATE TABLE recovery_codes (
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  code_hash bytea NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (user_id, code_hash)
);

-- A program on a device without a browser waits here for its user to say yes (RFC 8628).
CREATE TABLE device_codes (
  device_hash bytea PRIMARY KEY,
  user_code text NOT NULL UNIQUE,
  client_id text NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
  scopes text[],
  ip text,
  user_agent text,
  user_id bigint REFERENCES users ON DELETE CASCADE,
  decision text CHECK (decision IN ('approved', 'denied')),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  polled_at timestamptz,
  -- Seconds between two questions; one who asks faster must wait longer.
  interval integer NOT NULL DEFAULT 5
);
