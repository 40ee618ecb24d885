-- What the platform itself remembers, as that it is installed.
CREATE TABLE platform_settings (
  key text PRIMARY KEY,
  value jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- People, and the service users that API clients act as. Addresses are kept in lower case.
CREATE TABLE users (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'service')),
  name text NOT NULL,
  email text UNIQUE CHECK (email = lower(email)),
  email_verified_at timestamptz,
  password_hash text,
  -- Since then somebody else is known to have the password: until it is chosen anew by a mailed link, whoever signs in
  -- with it can look and change nothing.
  password_exposed_at timestamptz,
  two_factor_secret text,
  two_factor_confirmed_at timestamptz,
  -- The time step of the last code taken: none is taken twice.
  two_factor_last_step bigint,
  locale text,
  timezone text,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (kind = 'service' OR email IS NOT NULL)
);

-- Addresses that an account has given up and may still take back: nobody else gets them meanwhile.
CREATE TABLE reserved_emails (
  email text PRIMARY KEY CHECK (email = lower(email)),
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  until timestamptz NOT NULL
);

CREATE TABLE permissions (
  name text PRIMARY KEY,
  category text NOT NULL,
  is_sensitive boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- The five roles of every tenant belong to none; the others are a tenant's own.
CREATE TABLE roles (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id text REFERENCES tenants ON DELETE CASCADE,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX roles_by_name ON roles (coalesce(tenant_id, ''), lower(name));

CREATE TABLE role_permissions (
  role_id bigint NOT NULL REFERENCES roles ON DELETE CASCADE,
  permission text NOT NULL REFERENCES permissions ON DELETE CASCADE,
  PRIMARY KEY (role_id, permission)
);

-- A person has a role; a service user has what its API client was given.
CREATE TABLE memberships (
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  tenant_id text NOT NULL REFERENCES tenants ON DELETE CASCADE,
  role_id bigint REFERENCES roles,
  permissions text[],
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, tenant_id),
  CHECK ((role_id IS NULL) <> (permissions IS NULL))
);
CREATE INDEX memberships_by_tenant ON memberships (tenant_id, role_id);

-- Programs that may ask for tokens: the console and the command-line client of the platform, and tenants' API clients.
CREATE TABLE oauth_clients (
  id text PRIMARY KEY,
  tenant_id text REFERENCES tenants ON DELETE CASCADE,
  user_id bigint REFERENCES users ON DELETE CASCADE,
  name text NOT NULL,
  -- None: the program runs in others' hands and can keep no secret.
  secret_hash bytea,
  grants text[] NOT NULL,
  scopes text[],
  created_by bigint REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX oauth_clients_by_tenant ON oauth_clients (tenant_id, created_at);
INSERT INTO oauth_clients (id, name, grants) VALUES
  ('chowk-console', 'Console', '{refresh_token}'),
  ('chowk-cli', 'Command-line client', '{refresh_token,urn:ietf:params:oauth:grant-type:device_code}');

-- Whatever was signed in or given a token. Every access token names its session, and dies with it.
CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('login', 'device', 'personal', 'client')),
  client_id text REFERENCES oauth_clients ON DELETE CASCADE,
  name text,
  -- None: all that the user may do.
  scopes text[],
  -- Of a personal access token, which is no JWT.
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

-- Each is used once; the next one takes its place. One that is used again was stolen, and ends its session.
CREATE TABLE refresh_tokens (
  hash bytea PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id);

-- The keys that sign access tokens. A retired one is still believed until the last token it signed is over.
CREATE TABLE signing_keys (
  kid text PRIMARY KEY,
  public_jwk jsonb NOT NULL,
  private_sealed text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  retired_at timestamptz,
  believed_until timestamptz
);

-- What became of accounts, who did it and from where.
CREATE TABLE activity_log (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  tenant_id text REFERENCES tenants ON DELETE CASCADE,
  user_id bigint REFERENCES users ON DELETE SET NULL,
  action text NOT NULL,
  subject_id bigint,
  details jsonb NOT NULL DEFAULT '{}',
  ip text,
  user_agent text,
  request_id text
);
CREATE INDEX activity_log_by_tenant ON activity_log (tenant_id, at DESC);
CREATE INDEX activity_log_by_user ON activity_log (user_id, at DESC);

CREATE FUNCTION tell_user_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_user', old.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER users_changed
  AFTER DELETE OR UPDATE OF name, email, email_verified_at, password_exposed_at, two_factor_confirmed_at, disabled_at ON users
  FOR EACH ROW EXECUTE FUNCTION tell_user_changed();

CREATE FUNCTION tell_session_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_session', old.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_changed AFTER DELETE OR UPDATE OF scopes, expires_at, revoked_at, token_hash ON sessions
  FOR EACH ROW EXECUTE FUNCTION tell_session_changed();

CREATE FUNCTION tell_membership_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_membership', coalesce(new.user_id, old.user_id) || ' ' || coalesce(new.tenant_id, old.tenant_id));
  RETURN NULL;
END $$;
CREATE TRIGGER memberships_changed AFTER INSERT OR UPDATE OR DELETE ON memberships
  FOR EACH ROW EXECUTE FUNCTION tell_membership_changed();

-- Whose role it is: nobody else's members need to be looked at again. The five roles are everyone's.
CREATE FUNCTION tell_role_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_role', coalesce(old.tenant_id, ''));
  RETURN NULL;
END $$;
CREATE TRIGGER roles_changed AFTER UPDATE OR DELETE ON roles
  FOR EACH ROW EXECUTE FUNCTION tell_role_changed();

CREATE FUNCTION tell_role_permissions_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_role', owner) FROM (
    SELECT DISTINCT coalesce(tenant_id, '') AS owner FROM roles WHERE id IN (SELECT role_id FROM changed)) owners;
  RETURN NULL;
END $$;
CREATE TRIGGER role_permissions_added AFTER INSERT ON role_permissions
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_role_permissions_changed();
CREATE TRIGGER role_permissions_removed AFTER DELETE ON role_permissions
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_role_permissions_changed();

CREATE FUNCTION tell_keys_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_keys', '');
  RETURN NULL;
END $$;
CREATE TRIGGER signing_keys_changed AFTER INSERT OR UPDATE OR DELETE ON signing_keys
  FOR EACH STATEMENT EXECUTE FUNCTION tell_keys_changed();

CREATE FUNCTION tell_installed_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_installed', '');
  RETURN NULL;
END $$;
CREATE TRIGGER platform_settings_changed AFTER INSERT OR UPDATE OR DELETE ON platform_settings
  FOR EACH STATEMENT EXECUTE FUNCTION tell_installed_changed();

-- What each module says of itself, as of the last seed: the console reads it for modules this process does not run.
CREATE TABLE module_configurations (
  alias text PRIMARY KEY,
  configuration jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
