-- When the entry was written or completed, so that clients can follow the log as they follow lists (`stamp_changes`); `at` is
-- the time of the call. A default and not a trigger, because every change inserts a row. Existing entries get the time of this migration.
ALTER TABLE module_bus_audit_log ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE module_bus_audit_log ALTER COLUMN updated_at
  SET DEFAULT CASE WHEN pg_current_xact_id() IS NOT NULL THEN clock_timestamp() END;
CREATE INDEX module_bus_audit_log_by_update ON module_bus_audit_log (updated_at, id);
