-- Settings of the platform, such as `installed`.
CREATE TABLE platform_settings (
  key text PRIMARY KEY,
  value jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION notify_platform_settings_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_installed', '');
  RETURN NULL;
END $$;
CREATE TRIGGER platform_settings_changed AFTER INSERT OR UPDATE OR DELETE ON platform_settings
  FOR EACH STATEMENT EXECUTE FUNCTION notify_platform_settings_changed();

-- The module.json of each module, as of the last seed: the console reads it for modules that this process does not run.
CREATE TABLE module_configurations (
  alias text PRIMARY KEY,
  configuration jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
