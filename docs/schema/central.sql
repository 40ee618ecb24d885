-- Made by 'npm run generate' from the migrations; do not edit.

CREATE TABLE activity_log (
  id uuid NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT now(),
  tenant_id text,
  user_id bigint,
  action text NOT NULL,
  subject_id bigint,
  details jsonb NOT NULL DEFAULT '{}'::jsonb,
  ip text,
  user_agent text,
  request_id text,
  CONSTRAINT activity_log_pkey PRIMARY KEY (id),
  CONSTRAINT activity_log_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  CONSTRAINT activity_log_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL
);
CREATE INDEX activity_log_by_tenant ON public.activity_log USING btree (tenant_id, at DESC);
CREATE INDEX activity_log_by_user ON public.activity_log USING btree (user_id, at DESC);

CREATE TABLE device_codes (
  device_hash bytea NOT NULL,
  user_code text NOT NULL,
  client_id text NOT NULL,
  scopes text[],
  ip text,
  user_agent text,
  user_id bigint,
  decision text,
  decided_in uuid,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  polled_at timestamp with time zone,
  "interval" integer NOT NULL DEFAULT 5,
  CONSTRAINT device_codes_user_code_key UNIQUE (user_code),
  CONSTRAINT device_codes_pkey PRIMARY KEY (device_hash),
  CONSTRAINT device_codes_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id) ON DELETE CASCADE,
  CONSTRAINT device_codes_decided_in_fkey FOREIGN KEY (decided_in) REFERENCES sessions(id) ON DELETE CASCADE,
  CONSTRAINT device_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT device_codes_decision_check CHECK ((decision = ANY (ARRAY['approved'::text, 'denied'::text])))
);

CREATE TABLE domains (
  domain text NOT NULL,
  tenant_id text NOT NULL,
  kind text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT domains_pkey PRIMARY KEY (domain),
  CONSTRAINT domains_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  CONSTRAINT domains_domain_check CHECK ((domain ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text)),
  CONSTRAINT domains_kind_check CHECK ((kind = ANY (ARRAY['random'::text, 'alias'::text])))
);
CREATE INDEX domains_by_tenant ON public.domains USING btree (tenant_id);
CREATE UNIQUE INDEX domains_one_random ON public.domains USING btree (tenant_id) WHERE (kind = 'random'::text);
CREATE TRIGGER domains_changed AFTER INSERT OR DELETE OR UPDATE ON public.domains FOR EACH ROW EXECUTE FUNCTION tell_domain_changed();

CREATE TABLE email_changes (
  token_hash bytea NOT NULL,
  user_id bigint NOT NULL,
  old_email text NOT NULL,
  old_verified_at timestamp with time zone,
  old_password_hash text NOT NULL,
  new_email text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  undone_at timestamp with time zone,
  CONSTRAINT email_changes_pkey PRIMARY KEY (token_hash),
  CONSTRAINT email_changes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX email_changes_by_user ON public.email_changes USING btree (user_id, created_at);

CREATE TABLE idempotency_keys (
  caller text NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  status integer,
  content_type text,
  body text,
  locked_until timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_keys_by_expiry ON public.idempotency_keys USING btree (expires_at);

CREATE TABLE installation (
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  CONSTRAINT installation_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX installation_one_row ON public.installation USING btree ((true));

CREATE TABLE invitations (
  id uuid NOT NULL,
  tenant_id text NOT NULL,
  email text NOT NULL,
  role_id bigint NOT NULL,
  token_hash bytea NOT NULL,
  invited_by bigint,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  accepted_at timestamp with time zone,
  revoked_at timestamp with time zone,
  CONSTRAINT invitations_token_hash_key UNIQUE (token_hash),
  CONSTRAINT invitations_pkey PRIMARY KEY (id),
  CONSTRAINT invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id) ON DELETE SET NULL,
  CONSTRAINT invitations_role_id_fkey FOREIGN KEY (role_id) REFERENCES roles(id) ON DELETE CASCADE,
  CONSTRAINT invitations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  CONSTRAINT invitations_email_check CHECK ((email = lower(email)))
);
CREATE UNIQUE INDEX invitations_one_open ON public.invitations USING btree (tenant_id, email) WHERE ((accepted_at IS NULL) AND (revoked_at IS NULL));

CREATE TABLE memberships (
  user_id bigint NOT NULL,
  tenant_id text NOT NULL,
  role_id bigint,
  permissions text[],
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT memberships_pkey PRIMARY KEY (user_id, tenant_id),
  CONSTRAINT memberships_role_id_fkey FOREIGN KEY (role_id) REFERENCES roles(id),
  CONSTRAINT memberships_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT memberships_check CHECK (((role_id IS NULL) <> (permissions IS NULL)))
);
CREATE INDEX memberships_by_tenant ON public.memberships USING btree (tenant_id, role_id);
CREATE TRIGGER memberships_changed AFTER INSERT OR DELETE OR UPDATE ON public.memberships FOR EACH ROW EXECUTE FUNCTION notify_membership_changed();

CREATE TABLE module_configurations (
  alias text NOT NULL,
  configuration jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT module_configurations_pkey PRIMARY KEY (alias)
);

CREATE TABLE module_installations (
  tenant_id text NOT NULL,
  alias text NOT NULL,
  status text NOT NULL,
  installed_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT module_installations_pkey PRIMARY KEY (tenant_id, alias),
  CONSTRAINT module_installations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  CONSTRAINT module_installations_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text])))
);
CREATE INDEX module_installations_by_alias ON public.module_installations USING btree (alias) WHERE (status = 'enabled'::text);
CREATE TRIGGER module_installations_changed AFTER INSERT OR DELETE OR UPDATE ON public.module_installations FOR EACH ROW EXECUTE FUNCTION tell_module_changed();

CREATE TABLE module_rings (
  id bigint NOT NULL,
  name text NOT NULL,
  display_name text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  manifest_path text NOT NULL,
  k8s_namespace text NOT NULL,
  k8s_service text NOT NULL,
  hostname_segment text NOT NULL,
  promotion_order integer NOT NULL DEFAULT 0,
  is_active boolean NOT NULL DEFAULT true,
  is_default boolean NOT NULL DEFAULT false,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT module_rings_hostname_segment_key UNIQUE (hostname_segment),
  CONSTRAINT module_rings_name_key UNIQUE (name),
  CONSTRAINT module_rings_pkey PRIMARY KEY (id),
  CONSTRAINT module_rings_hostname_segment_check CHECK ((hostname_segment ~ '^[a-z0-9][a-z0-9-]*$'::text)),
  CONSTRAINT module_rings_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9-]*$'::text))
);
CREATE UNIQUE INDEX module_rings_one_default ON public.module_rings USING btree (is_default) WHERE is_default;
CREATE TRIGGER module_rings_changed AFTER INSERT OR DELETE OR UPDATE ON public.module_rings FOR EACH STATEMENT EXECUTE FUNCTION tell_ring_changed();

CREATE TABLE oauth_clients (
  id text NOT NULL,
  tenant_id text,
  user_id bigint,
  name text NOT NULL,
  secret_hash bytea,
  grants text[] NOT NULL,
  scopes text[],
  created_by bigint,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp with time zone,
  CONSTRAINT oauth_clients_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_clients_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id) ON DELETE SET NULL,
  CONSTRAINT oauth_clients_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  CONSTRAINT oauth_clients_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX oauth_clients_by_tenant ON public.oauth_clients USING btree (tenant_id, created_at);

CREATE TABLE outbox_activity (
  tenant_id text NOT NULL,
  active_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT outbox_activity_pkey PRIMARY KEY (tenant_id),
  CONSTRAINT outbox_activity_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);

CREATE TABLE password_resets (
  token_hash bytea NOT NULL,
  user_id bigint NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT password_resets_pkey PRIMARY KEY (token_hash),
  CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX password_resets_by_user ON public.password_resets USING btree (user_id);

CREATE TABLE permissions (
  name text NOT NULL,
  category text NOT NULL,
  description text NOT NULL,
  is_sensitive boolean NOT NULL DEFAULT false,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT permissions_pkey PRIMARY KEY (name)
);

CREATE TABLE platform_settings (
  key text NOT NULL,
  value jsonb NOT NULL,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT platform_settings_pkey PRIMARY KEY (key)
);
CREATE TRIGGER platform_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.platform_settings FOR EACH STATEMENT EXECUTE FUNCTION notify_platform_settings_changed();

CREATE TABLE prepared_databases (
  name text NOT NULL,
  kind text NOT NULL,
  fingerprint text NOT NULL,
  ready boolean NOT NULL DEFAULT false,
  used_at timestamp with time zone NOT NULL DEFAULT now(),
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT prepared_databases_pkey PRIMARY KEY (name),
  CONSTRAINT prepared_databases_kind_check CHECK ((kind = ANY (ARRAY['template'::text, 'spare'::text])))
);
CREATE UNIQUE INDEX prepared_databases_one_template ON public.prepared_databases USING btree (fingerprint) WHERE (kind = 'template'::text);

CREATE TABLE recovery_codes (
  user_id bigint NOT NULL,
  code_hash bytea NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

CREATE TABLE refresh_tokens (
  hash bytea NOT NULL,
  session_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT refresh_tokens_pkey PRIMARY KEY (hash),
  CONSTRAINT refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);
CREATE INDEX refresh_tokens_by_session ON public.refresh_tokens USING btree (session_id);

CREATE TABLE reserved_emails (
  email text NOT NULL,
  user_id bigint NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT reserved_emails_pkey PRIMARY KEY (email),
  CONSTRAINT reserved_emails_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT reserved_emails_email_check CHECK ((email = lower(email)))
);

CREATE TABLE role_permissions (
  role_id bigint NOT NULL,
  permission text NOT NULL,
  CONSTRAINT role_permissions_pkey PRIMARY KEY (role_id, permission),
  CONSTRAINT role_permissions_permission_fkey FOREIGN KEY (permission) REFERENCES permissions(name) ON DELETE CASCADE,
  CONSTRAINT role_permissions_role_id_fkey FOREIGN KEY (role_id) REFERENCES roles(id) ON DELETE CASCADE
);
CREATE TRIGGER role_permissions_added AFTER INSERT ON public.role_permissions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION notify_role_permissions_changed();
CREATE TRIGGER role_permissions_removed AFTER DELETE ON public.role_permissions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION notify_role_permissions_changed();

CREATE TABLE roles (
  id bigint NOT NULL,
  tenant_id text,
  name text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT roles_pkey PRIMARY KEY (id),
  CONSTRAINT roles_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX roles_by_name ON public.roles USING btree (COALESCE(tenant_id, ''::text), lower(name));
CREATE TRIGGER roles_changed AFTER DELETE OR UPDATE ON public.roles FOR EACH ROW EXECUTE FUNCTION notify_role_changed();

CREATE TABLE schema_migrations (
  owner text NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (owner, name)
);

CREATE TABLE sessions (
  id uuid NOT NULL,
  user_id bigint NOT NULL,
  kind text NOT NULL,
  client_id text,
  name text,
  scopes text[],
  token_hash bytea,
  ip text,
  network text,
  user_agent text,
  authenticated_at timestamp with time zone NOT NULL DEFAULT now(),
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  last_used_at timestamp with time zone NOT NULL DEFAULT now(),
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  CONSTRAINT sessions_token_hash_key UNIQUE (token_hash),
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(id) ON DELETE CASCADE,
  CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  CONSTRAINT sessions_kind_check CHECK ((kind = ANY (ARRAY['login'::text, 'device'::text, 'personal'::text, 'client'::text])))
);
CREATE INDEX sessions_by_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_by_network ON public.sessions USING btree (user_id, network, created_at);
CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id, created_at);
CREATE TRIGGER sessions_changed AFTER DELETE OR UPDATE OF scopes, expires_at, revoked_at, token_hash ON public.sessions FOR EACH ROW EXECUTE FUNCTION notify_session_changed();

CREATE TABLE signing_keys (
  kid text NOT NULL,
  public_jwk jsonb NOT NULL,
  private_sealed text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  retired_at timestamp with time zone,
  trusted_until timestamp with time zone,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (kid)
);
CREATE TRIGGER signing_keys_changed AFTER INSERT OR DELETE OR UPDATE ON public.signing_keys FOR EACH STATEMENT EXECUTE FUNCTION notify_keys_changed();

CREATE TABLE tenant_migrations (
  tenant_id text NOT NULL,
  fingerprint text NOT NULL,
  status text NOT NULL,
  error text,
  finished_at timestamp with time zone,
  CONSTRAINT tenant_migrations_pkey PRIMARY KEY (tenant_id),
  CONSTRAINT tenant_migrations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  CONSTRAINT tenant_migrations_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'done'::text, 'failed'::text])))
);

CREATE TABLE tenant_settings (
  tenant_id text NOT NULL,
  key text NOT NULL,
  value jsonb NOT NULL,
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT tenant_settings_pkey PRIMARY KEY (tenant_id, key),
  CONSTRAINT tenant_settings_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
CREATE TRIGGER tenant_settings_changed AFTER INSERT OR DELETE OR UPDATE ON public.tenant_settings FOR EACH ROW EXECUTE FUNCTION tell_setting_changed();

CREATE TABLE tenants (
  id text NOT NULL,
  name text NOT NULL,
  role text NOT NULL DEFAULT 'merchant'::text,
  status text NOT NULL DEFAULT 'creating'::text,
  module_ring_id bigint NOT NULL,
  database_server text NOT NULL DEFAULT 'main'::text,
  database_name text NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT tenants_database_name_key UNIQUE (database_name),
  CONSTRAINT tenants_pkey PRIMARY KEY (id),
  CONSTRAINT tenants_module_ring_id_fkey FOREIGN KEY (module_ring_id) REFERENCES module_rings(id),
  CONSTRAINT tenants_id_check CHECK ((id ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text)),
  CONSTRAINT tenants_role_check CHECK ((role = ANY (ARRAY['platform_owner'::text, 'reseller'::text, 'merchant'::text]))),
  CONSTRAINT tenants_status_check CHECK ((status = ANY (ARRAY['creating'::text, 'active'::text])))
);
CREATE INDEX tenants_by_ring ON public.tenants USING btree (module_ring_id);
CREATE INDEX tenants_unfinished ON public.tenants USING btree (created_at) WHERE (status = 'creating'::text);
CREATE TRIGGER tenants_changed AFTER INSERT OR DELETE OR UPDATE ON public.tenants FOR EACH ROW EXECUTE FUNCTION tell_tenant_changed();

CREATE TABLE users (
  id bigint NOT NULL,
  kind text NOT NULL DEFAULT 'person'::text,
  name text NOT NULL,
  email text,
  email_verified_at timestamp with time zone,
  password_hash text,
  password_exposed_at timestamp with time zone,
  two_factor_secret text,
  two_factor_confirmed_at timestamp with time zone,
  two_factor_last_step bigint,
  locale text,
  timezone text,
  disabled_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  updated_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT users_email_key UNIQUE (email),
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_check CHECK (((kind = 'service'::text) OR (email IS NOT NULL))),
  CONSTRAINT users_email_check CHECK ((email = lower(email))),
  CONSTRAINT users_kind_check CHECK ((kind = ANY (ARRAY['person'::text, 'service'::text])))
);
CREATE TRIGGER users_changed AFTER DELETE OR UPDATE OF name, email, email_verified_at, password_exposed_at, two_factor_confirmed_at, disabled_at ON public.users FOR EACH ROW EXECUTE FUNCTION notify_user_changed();
