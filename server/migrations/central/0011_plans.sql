-- What the operator allows a tenant. NULL: no limit of the plan.
CREATE TABLE plans (
  name text PRIMARY KEY,
  requests_per_minute integer CHECK (requests_per_minute > 0),
  storage_mb integer CHECK (storage_mb > 0),
  messages_per_day integer CHECK (messages_per_day > 0),
  connections integer CHECK (connections > 0),
  is_default boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX plans_default ON plans (is_default) WHERE is_default;

-- A tenant without a plan of its own has the default one, if there is one.
ALTER TABLE tenants ADD COLUMN plan text REFERENCES plans (name);
CREATE INDEX tenants_plan ON tenants (plan) WHERE plan IS NOT NULL;

CREATE FUNCTION notify_plan_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('chowk_plan', '');
  RETURN NULL;
END $$;
CREATE TRIGGER plans_changed AFTER INSERT OR UPDATE OR DELETE ON plans
  FOR EACH STATEMENT EXECUTE FUNCTION notify_plan_changed();
