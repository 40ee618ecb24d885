-- Every change, over any transport, and every call over the bus.
CREATE TABLE module_bus_audit_log (
  id uuid NOT NULL,
  at timestamptz NOT NULL,
  -- rest, bus, graphql, job or command
  transport text NOT NULL,
  -- The calling module; NULL for a call from outside.
  module text,
  user_id bigint,
  action text NOT NULL,
  resource text NOT NULL,
  resource_id text,
  outcome text NOT NULL,
  error_code text,
  request_id text NOT NULL,
  duration_ms double precision NOT NULL,
  input jsonb,
  -- By field, the value before and after.
  changes jsonb,
  -- Every change inserts a row: this index also serves the list by time.
  PRIMARY KEY (at, id)
);
CREATE INDEX module_bus_audit_log_by_user ON module_bus_audit_log (user_id, at DESC);
CREATE INDEX module_bus_audit_log_by_resource ON module_bus_audit_log (resource, resource_id, at DESC);

-- Events for `afterCommit` listeners, written in the transaction of the change.
CREATE TABLE outbox (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL,
  name text NOT NULL,
  about text,
  payload jsonb NOT NULL,
  emitted_at timestamptz NOT NULL
);

-- A timestamp in the format of the API, for JSON that is built in SQL.
CREATE FUNCTION iso(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
