-- Mailed links to choose a new password, each valid once.
CREATE TABLE password_resets (
  token_hash bytea PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX password_resets_by_user ON password_resets (user_id);

-- Verified changes of a verified address. The old address receives a link that undoes the change.
CREATE TABLE email_changes (
  token_hash bytea PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  old_email text NOT NULL,
  old_verified_at timestamptz NOT NULL,
  -- An attacker who took over the account knew this password and may have changed it.
  old_password_hash text NOT NULL,
  new_email text NOT NULL,
  -- When the new address was entered; what the account was given since then ends with the undo.
  requested_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  undone_at timestamptz
);
CREATE INDEX email_changes_by_user ON email_changes (user_id, created_at);

-- One-time codes that replace the authenticator app.
CREATE TABLE recovery_codes (
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  code_hash bytea NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (user_id, code_hash)
);
