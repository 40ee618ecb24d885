-- Stored responses to POST requests with an Idempotency-Key.
CREATE TABLE idempotency_keys (
  caller text NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  -- Encrypted; NULL while a request of a system module is in progress.
  response text,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
