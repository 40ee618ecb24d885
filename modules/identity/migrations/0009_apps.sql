-- Applications of third parties, which act for those who approve them. Name, secret and scopes of each are in oauth_clients.
CREATE TABLE apps (
  id text PRIMARY KEY REFERENCES oauth_clients ON DELETE CASCADE,
  -- NULL: the app has registered itself (RFC 7591), so that its name proves nothing.
  tenant_id text REFERENCES tenants ON DELETE CASCADE,
  redirect_uris text[] NOT NULL,
  -- Whether it acts as the user who approves it, or as a member of its own.
  acts_as text NOT NULL CHECK (acts_as IN ('user', 'organization')),
  created_by bigint REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX apps_by_tenant ON apps (tenant_id, created_at);

-- The client of an app whose tenant is deleted.
CREATE FUNCTION delete_client_of_app() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM oauth_clients WHERE id = old.id;
  RETURN NULL;
END $$;
CREATE TRIGGER apps_deleted AFTER DELETE ON apps FOR EACH ROW EXECUTE FUNCTION delete_client_of_app();

-- What an app may do in a tenant, as a user or as a service user that was created for it. Ends with the membership.
CREATE TABLE app_grants (
  id uuid PRIMARY KEY,
  app_id text NOT NULL REFERENCES apps ON DELETE CASCADE,
  tenant_id text NOT NULL REFERENCES tenants ON DELETE CASCADE,
  user_id bigint NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (app_id, tenant_id, user_id),
  FOREIGN KEY (user_id, tenant_id) REFERENCES memberships (user_id, tenant_id) ON DELETE CASCADE
);
CREATE INDEX app_grants_by_tenant ON app_grants (tenant_id, created_at);
CREATE INDEX app_grants_by_user ON app_grants (user_id, tenant_id);

-- The service user of a grant ends with it. People stay members.
CREATE FUNCTION end_service_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM users WHERE id = old.user_id AND kind = 'service') THEN
    UPDATE users SET disabled_at = now(), updated_at = now() WHERE id = old.user_id AND disabled_at IS NULL;
    DELETE FROM oauth_clients WHERE user_id = old.user_id;
    DELETE FROM memberships WHERE user_id = old.user_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER app_grants_deleted AFTER DELETE ON app_grants FOR EACH ROW EXECUTE FUNCTION end_service_user();

-- The tokens of a grant end with it.
ALTER TABLE sessions ADD COLUMN grant_id uuid REFERENCES app_grants ON DELETE CASCADE;
CREATE INDEX sessions_by_grant ON sessions (grant_id) WHERE grant_id IS NOT NULL;

-- Codes that apps exchange for tokens (RFC 6749, 4.1). A used one is kept for a while: using it again ends its session.
CREATE TABLE authorization_codes (
  hash bytea PRIMARY KEY,
  grant_id uuid NOT NULL REFERENCES app_grants ON DELETE CASCADE,
  redirect_uri text NOT NULL,
  challenge text NOT NULL,
  scopes text[] NOT NULL,
  -- The session in which the user approved: a code that was not used yet ends with it.
  decided_in uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
  -- The session that was opened with the code.
  session_id uuid REFERENCES sessions ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX authorization_codes_by_grant ON authorization_codes (grant_id);
CREATE INDEX authorization_codes_by_expiry ON authorization_codes (expires_at);

SELECT stamp_changes('apps');
SELECT stamp_changes('app_grants');
