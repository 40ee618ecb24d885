-- OAuth clients: the console and the command-line client of the platform, and the API clients of tenants.
CREATE TABLE oauth_clients (
  id text PRIMARY KEY,
  tenant_id text REFERENCES tenants ON DELETE CASCADE,
  user_id bigint REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  -- NULL: a public client, which cannot keep a secret.
  secret_hash bytea,
  -- The user who made an API client has left, and another has taken it over: the secret must be replaced by then.
  secret_expires_at timestamptz,
  -- Who has replaced the secret last, and knows it.
  secret_replaced_by bigint REFERENCES users ON DELETE SET NULL,
  secret_replaced_at timestamptz,
  grants text[] NOT NULL,
  scopes text[],
  -- The user whose rights limit those of an API client.
  created_by bigint REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX oauth_clients_by_user ON oauth_clients (user_id);
CREATE INDEX oauth_clients_by_maker ON oauth_clients (created_by);
CREATE INDEX oauth_clients_by_tenant ON oauth_clients (tenant_id, created_at);
INSERT INTO oauth_clients (id, name, grants) VALUES
  ('chowk-console', 'Console', '{refresh_token}'),
  ('chowk-cli', 'Command-line client', '{refresh_token,urn:ietf:params:oauth:grant-type:device_code}');

-- Every token belongs to a session and ends with it.
CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('login', 'device', 'personal', 'client')),
  client_id text REFERENCES oauth_clients ON DELETE CASCADE,
  name text,
  -- NULL: all permissions of the user.
  scopes text[],
  -- Of a personal access token, which is not a JWT.
  token_hash bytea UNIQUE,
  ip text,
  network text,
  user_agent text,
  authenticated_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX sessions_by_user ON sessions (user_id, created_at);
CREATE INDEX sessions_by_network ON sessions (user_id, network, created_at);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Tokens for push messages. A token belongs to the session that has registered it last, in any tenant.
CREATE TABLE device_tokens (
  hash bytea PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE
);
CREATE INDEX device_tokens_by_session ON device_tokens (session_id);

-- Each token is used once and replaced. One that is used again was stolen: its session is revoked.
CREATE TABLE refresh_tokens (
  hash bytea PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);

-- The keys that sign access tokens. A retired key stays trusted until the last token that it signed has expired.
CREATE TABLE signing_keys (
  kid text PRIMARY KEY,
  public_jwk jsonb NOT NULL,
  private_sealed text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  retired_at timestamptz,
  trusted_until timestamptz
);

-- Devices that wait for the approval of their user (RFC 8628).
CREATE TABLE device_codes (
  device_hash bytea PRIMARY KEY,
  user_code text NOT NULL UNIQUE,
  client_id text NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
  scopes text[],
  ip text,
  user_agent text,
  user_id bigint REFERENCES users ON DELETE CASCADE,
  decision text CHECK (decision IN ('approved', 'denied')),
  -- The session in which the user decided: an approval that was not used yet ends with it.
  decided_in uuid REFERENCES sessions ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  polled_at timestamptz,
  -- Seconds between two polls; polling faster increases it.
  interval integer NOT NULL DEFAULT 5
);

CREATE FUNCTION notify_session_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_session', old.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_changed AFTER DELETE OR UPDATE OF scopes, expires_at, revoked_at, token_hash ON sessions
  FOR EACH ROW EXECUTE FUNCTION notify_session_changed();

CREATE FUNCTION notify_keys_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_keys', '');
  RETURN NULL;
END $$;
CREATE TRIGGER signing_keys_changed AFTER INSERT OR UPDATE OR DELETE ON signing_keys
  FOR EACH STATEMENT EXECUTE FUNCTION notify_keys_changed();
