-- Tenants whose data is being replaced. The row is deleted when the restore is complete or undone.
CREATE TABLE tenant_restores (
  tenant_id text PRIMARY KEY REFERENCES tenants ON DELETE CASCADE,
  -- The database that the tenant has, the one that replaces it, and the name that the first gets then. On one server.
  previous text NOT NULL,
  restored text NOT NULL,
  kept text NOT NULL,
  -- `filling`: the tenant uses the previous database. `paused`: its requests wait. `switched`: it uses the restored one, and the
  -- previous one is to be renamed. `undoing`: it uses the previous one, and the restored one is to be removed.
  step text NOT NULL DEFAULT 'filling' CHECK (step IN ('filling', 'paused', 'switched', 'undoing')),
  started_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER tenant_restores_changed AFTER INSERT OR UPDATE OR DELETE ON tenant_restores
  FOR EACH ROW EXECUTE FUNCTION notify_tenant_move();
