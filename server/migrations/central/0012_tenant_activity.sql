-- When a tenant without pending work was last active.
CREATE TABLE tenant_activity (
  tenant_id text PRIMARY KEY REFERENCES tenants ON DELETE CASCADE,
  active_at timestamptz NOT NULL
);
