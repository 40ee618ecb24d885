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

-- One row for each event and `afterCommit` listener, written in the transaction of the change and deleted when the
-- listener has run.
CREATE TABLE event_deliveries (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id uuid NOT NULL,
  name text NOT NULL,
  about text,
  payload jsonb NOT NULL,
  emitted_at timestamptz NOT NULL,
  listener text NOT NULL,
  -- Failed ones.
  attempts integer NOT NULL DEFAULT 0,
  -- Of the next attempt. NULL: the last one failed, and an operator decides.
  due_at timestamptz DEFAULT '-infinity'
);
CREATE INDEX event_deliveries_failed ON event_deliveries (listener, about) WHERE attempts > 0;

-- Jobs that a transaction adds, until they are moved to their queues in the central database.
CREATE TABLE added_jobs (
  id uuid PRIMARY KEY,
  task jsonb NOT NULL,
  start_at timestamptz
);

-- A timestamp in the format of the API, for JSON that is built in SQL.
CREATE FUNCTION iso(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
