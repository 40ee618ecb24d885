-- Who called what over the bus.
CREATE TABLE module_bus_audit_log (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL,
  caller text NOT NULL,
  operation text NOT NULL,
  kind text NOT NULL,
  user_id bigint,
  request_id text NOT NULL,
  duration_ms double precision NOT NULL,
  outcome text NOT NULL,
  error_code text,
  input jsonb
);
CREATE INDEX module_bus_audit_log_by_time ON module_bus_audit_log (at DESC, id DESC);

-- Events on their way to listeners in other transactions, written with the change that they tell of.
CREATE TABLE outbox (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL,
  name text NOT NULL,
  about text,
  payload jsonb NOT NULL,
  emitted_at timestamptz NOT NULL
);

-- A timestamp as every answer writes it, for JSON that is built in SQL.
CREATE FUNCTION iso(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
