-- When the platform was backed up, and when a restore was rehearsed.
CREATE TABLE backup_runs (
  id text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('backup', 'rehearsal')),
  -- The tenant, if it was of one.
  tenant_id text,
  started_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  error text,
  bytes bigint
);
CREATE INDEX backup_runs_finished ON backup_runs (kind, finished_at DESC) WHERE error IS NULL;
