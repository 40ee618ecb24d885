-- People, and the service users that API clients act as.
CREATE TABLE users (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'service')),
  name text NOT NULL,
  -- The address to sign in with. While it is not verified, another account that verifies it takes it over.
  email text UNIQUE CHECK (email = lower(email)),
  email_verified_at timestamptz,
  -- A new address until it is verified. It is not reserved: several accounts may have requested it.
  pending_email text CHECK (pending_email = lower(pending_email)),
  pending_email_at timestamptz,
  -- The hash of the password that confirmed the change.
  pending_email_password text,
  password_hash text,
  -- Since when another person is known to have the password. Signing in is refused until it is reset by a mailed link.
  password_exposed_at timestamptz,
  two_factor_secret text,
  two_factor_confirmed_at timestamptz,
  -- The time step of the last accepted code: no code is accepted twice.
  two_factor_last_step bigint,
  -- Wrong codes since the last right one. Every fifth locks the codes of the account, each time for longer.
  two_factor_failures integer NOT NULL DEFAULT 0,
  two_factor_locked_until timestamptz,
  locale text,
  timezone text,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (kind = 'service' OR coalesce(email, pending_email) IS NOT NULL)
);

-- The permissions that modules declare in module.json, as of the last seed.
CREATE TABLE permissions (
  name text PRIMARY KEY,
  category text NOT NULL,
  description text NOT NULL,
  is_sensitive boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- The five system roles have no tenant; other roles belong to one.
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

-- A person has a role; a service user has the permissions of its API client.
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
-- One open invitation for each address: a new one replaces it.
CREATE UNIQUE INDEX invitations_one_open ON invitations (tenant_id, email) WHERE accepted_at IS NULL AND revoked_at IS NULL;

-- Changes to accounts, tenants' teams and sign-ins.
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

-- The triggers invalidate the caches of every process after the commit.
CREATE FUNCTION notify_user_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_user', old.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER users_changed
  AFTER DELETE OR UPDATE OF name, email, email_verified_at, pending_email, two_factor_confirmed_at, disabled_at ON users
  FOR EACH ROW EXECUTE FUNCTION notify_user_changed();

CREATE FUNCTION notify_membership_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_membership', coalesce(new.user_id, old.user_id) || ' ' || coalesce(new.tenant_id, old.tenant_id));
  RETURN NULL;
END $$;
CREATE TRIGGER memberships_changed AFTER INSERT OR UPDATE OR DELETE ON memberships
  FOR EACH ROW EXECUTE FUNCTION notify_membership_changed();

-- The payload is the tenant of the role, empty for a system role.
CREATE FUNCTION notify_role_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_role', coalesce(old.tenant_id, ''));
  RETURN NULL;
END $$;
CREATE TRIGGER roles_changed AFTER UPDATE OR DELETE ON roles
  FOR EACH ROW EXECUTE FUNCTION notify_role_changed();

CREATE FUNCTION notify_role_permissions_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_role', owner) FROM (
    SELECT DISTINCT coalesce(tenant_id, '') AS owner FROM roles WHERE id IN (SELECT role_id FROM changed)) owners;
  RETURN NULL;
END $$;
CREATE TRIGGER role_permissions_added AFTER INSERT ON role_permissions
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION notify_role_permissions_changed();
CREATE TRIGGER role_permissions_removed AFTER DELETE ON role_permissions
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION notify_role_permissions_changed();
