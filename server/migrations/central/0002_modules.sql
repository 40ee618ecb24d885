-- Which modules each tenant has. A row that says `disabled` remembers that the tenant does not want it.
CREATE TABLE module_installations (
  tenant_id text NOT NULL REFERENCES tenants ON DELETE CASCADE,
  alias text NOT NULL,
  status text NOT NULL CHECK (status IN ('enabled', 'disabled')),
  installed_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, alias)
);
CREATE INDEX module_installations_by_alias ON module_installations (alias) WHERE status = 'enabled';

CREATE FUNCTION tell_module_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_modules', coalesce(new.tenant_id, old.tenant_id));
  RETURN NULL;
END $$;
CREATE TRIGGER module_installations_changed AFTER INSERT OR UPDATE OR DELETE ON module_installations
  FOR EACH ROW EXECUTE FUNCTION tell_module_changed();

-- Tenants whose outbox may hold an event that a crash kept from being handed over.
CREATE TABLE outbox_activity (
  tenant_id text PRIMARY KEY REFERENCES tenants ON DELETE CASCADE,
  active_at timestamptz NOT NULL DEFAULT now()
);
