-- Requests of API clients and apps, without their bodies: those of the last 30 days, and only the newest of a busy tenant.
CREATE TABLE request_log (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL,
  client_id text NOT NULL,
  -- Whom the client acted as.
  user_id bigint NOT NULL,
  method text NOT NULL,
  -- With the names of parameters instead of values: /api/v1/orders/:id
  path text NOT NULL,
  status smallint NOT NULL,
  duration_ms real NOT NULL,
  request_id text NOT NULL,
  -- When the row was written, as in module_bus_audit_log.
  updated_at timestamptz NOT NULL DEFAULT CASE WHEN pg_current_xact_id() IS NOT NULL THEN clock_timestamp() END
);
CREATE INDEX request_log_by_client ON request_log (client_id, at, id);
CREATE INDEX request_log_by_time ON request_log (at);
