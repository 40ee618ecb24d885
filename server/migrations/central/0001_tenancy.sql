-- A ring is a set of module versions; each tenant runs on one ring.
CREATE TABLE module_rings (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9][a-z0-9-]*$'),
  display_name text NOT NULL,
  description text NOT NULL DEFAULT '',
  manifest_path text NOT NULL,
  k8s_namespace text NOT NULL,
  k8s_service text NOT NULL,
  hostname_segment text NOT NULL UNIQUE CHECK (hostname_segment ~ '^[a-z0-9][a-z0-9-]*$'),
  promotion_order integer NOT NULL DEFAULT 0,
  is_active boolean NOT NULL DEFAULT true,
  is_default boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX module_rings_one_default ON module_rings (is_default) WHERE is_default;

INSERT INTO module_rings (name, display_name, description, manifest_path, k8s_namespace, k8s_service, hostname_segment, is_default)
VALUES ('stable', 'Stable', 'The default ring.', 'modules/manifest.lock.json',
        'chowk-stable', 'web.chowk-stable.svc.cluster.local', 'stable', true);

-- The row is inserted before the database is created, so that an interrupted creation is known by its row.
CREATE TABLE tenants (
  id text PRIMARY KEY CHECK (id ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name text NOT NULL,
  role text NOT NULL DEFAULT 'merchant' CHECK (role IN ('platform_owner', 'reseller', 'merchant')),
  status text NOT NULL DEFAULT 'creating' CHECK (status IN ('creating', 'importing', 'active', 'suspended', 'deleting')),
  -- Why an operator has suspended it.
  suspension_reason text,
  -- The module that creates the tenant step by step; `tenant:doctor` leaves the unfinished ones to it.
  created_by_module text,
  module_ring_id bigint NOT NULL REFERENCES module_rings,
  -- `main`, the server of this database, or one of DATABASE_SERVERS.
  database_server text NOT NULL DEFAULT 'main',
  database_name text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tenants_by_ring ON tenants (module_ring_id);
CREATE INDEX tenants_by_server ON tenants (database_server);
CREATE INDEX tenants_unfinished ON tenants (created_at) WHERE status = 'creating';

-- The subdomains of a tenant: a random one, which never changes, and aliases.
CREATE TABLE domains (
  domain text PRIMARY KEY CHECK (domain ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  tenant_id text NOT NULL REFERENCES tenants ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('random', 'alias')),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX domains_by_tenant ON domains (tenant_id);
CREATE UNIQUE INDEX domains_one_random ON domains (tenant_id) WHERE kind = 'random';

-- In the central database, because every process must be notified of a change, and NOTIFY works within one database.
CREATE TABLE tenant_settings (
  tenant_id text NOT NULL REFERENCES tenants ON DELETE CASCADE,
  key text NOT NULL,
  value jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, key)
);

-- Databases prepared for new tenants: templates to copy and spares to rename.
CREATE TABLE prepared_databases (
  server text NOT NULL DEFAULT 'main',
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('template', 'spare')),
  fingerprint text NOT NULL,
  ready boolean NOT NULL DEFAULT false,
  used_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (server, name)
);
CREATE UNIQUE INDEX prepared_databases_one_template ON prepared_databases (server, fingerprint) WHERE kind = 'template';

-- Tenants on their way to another database server. The row is deleted when the move is complete or undone.
CREATE TABLE tenant_moves (
  tenant_id text PRIMARY KEY REFERENCES tenants ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  source text NOT NULL,
  target text NOT NULL,
  -- `copying`: the tenant uses the source. `paused`: its requests wait. `switched`: it uses the target, and the source is to
  -- be removed. `undoing`: it uses the source, and the target is to be removed.
  step text NOT NULL DEFAULT 'copying' CHECK (step IN ('copying', 'paused', 'switched', 'undoing')),
  -- Whether the database on the source is kept under another name.
  keep boolean NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now()
);

-- The migration state of each tenant's database. It may have more migrations than a process knows: rings differ.
CREATE TABLE tenant_migrations (
  tenant_id text PRIMARY KEY REFERENCES tenants ON DELETE CASCADE,
  -- Migrations with their checksums.
  applied text[] NOT NULL DEFAULT '{}',
  status text NOT NULL CHECK (status IN ('done', 'failed')),
  error text,
  finished_at timestamptz,
  -- When the event `tenant.database_migrated` was emitted. NULL: it is still to be emitted.
  announced_at timestamptz
);
CREATE INDEX tenant_migrations_to_announce ON tenant_migrations (tenant_id) WHERE announced_at IS NULL;

-- Stored responses to POST requests with an Idempotency-Key and without a tenant.
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

-- Identifies this installation on a database server that several installations share.
CREATE TABLE installation (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  -- Identifies the APP_KEY that all processes use.
  key_id text
);
CREATE UNIQUE INDEX installation_one_row ON installation ((true));
INSERT INTO installation DEFAULT VALUES;

-- The triggers invalidate the caches of every process after the commit.
CREATE FUNCTION notify_tenant_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM pg_notify('chowk_tenant', old.id); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM pg_notify('chowk_tenant', new.id); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tenants_changed AFTER INSERT OR UPDATE OR DELETE ON tenants
  FOR EACH ROW EXECUTE FUNCTION notify_tenant_changed();

CREATE FUNCTION notify_tenant_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_tenant', coalesce(new.tenant_id, old.tenant_id));
  RETURN NULL;
END $$;
CREATE TRIGGER tenant_moves_changed AFTER INSERT OR UPDATE OR DELETE ON tenant_moves
  FOR EACH ROW EXECUTE FUNCTION notify_tenant_move();

CREATE FUNCTION notify_domain_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM pg_notify('chowk_domain', old.domain); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM pg_notify('chowk_domain', new.domain); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER domains_changed AFTER INSERT OR UPDATE OR DELETE ON domains
  FOR EACH ROW EXECUTE FUNCTION notify_domain_changed();

CREATE FUNCTION notify_setting_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_settings', coalesce(new.tenant_id, old.tenant_id));
  RETURN NULL;
END $$;
CREATE TRIGGER tenant_settings_changed AFTER INSERT OR UPDATE OR DELETE ON tenant_settings
  FOR EACH ROW EXECUTE FUNCTION notify_setting_changed();

CREATE FUNCTION notify_ring_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_ring', '');
  RETURN NULL;
END $$;
CREATE TRIGGER module_rings_changed AFTER INSERT OR UPDATE OR DELETE ON module_rings
  FOR EACH STATEMENT EXECUTE FUNCTION notify_ring_changed();
