-- The modules of each tenant. A `disabled` row keeps `auto_install` from enabling the module again.
CREATE TABLE module_installations (
  tenant_id text NOT NULL REFERENCES tenants ON DELETE CASCADE,
  alias text NOT NULL,
  status text NOT NULL CHECK (status IN ('enabled', 'disabled')),
  installed_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, alias)
);
CREATE INDEX module_installations_by_alias ON module_installations (alias) WHERE status = 'enabled';

CREATE FUNCTION notify_module_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_modules', coalesce(new.tenant_id, old.tenant_id));
  RETURN NULL;
END $$;
CREATE TRIGGER module_installations_changed AFTER INSERT OR UPDATE OR DELETE ON module_installations
  FOR EACH ROW EXECUTE FUNCTION notify_module_changed();

-- Tenants whose outbox may contain events that were not delivered because a process crashed.
CREATE TABLE outbox_activity (
  tenant_id text PRIMARY KEY REFERENCES tenants ON DELETE CASCADE,
  active_at timestamptz NOT NULL DEFAULT now()
);
