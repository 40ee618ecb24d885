-- Made by 'npm run generate' from the migrations; do not edit.

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

CREATE TABLE outbox_activity (
  tenant_id text NOT NULL,
  active_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT outbox_activity_pkey PRIMARY KEY (tenant_id),
  CONSTRAINT outbox_activity_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);

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

CREATE TABLE schema_migrations (
  owner text NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (owner, name)
);

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
