-- Registered GraphQL operations, which clients execute by hash.
CREATE TABLE persisted_queries (
  -- SHA-256 of the query, in hexadecimal.
  hash text PRIMARY KEY,
  name text NOT NULL,
  query text NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz,
  uses bigint NOT NULL DEFAULT 0
);

-- Operations that were executed without being registered, while `graphql.record_unregistered` is on.
CREATE TABLE unregistered_operations (
  hash text PRIMARY KEY,
  operation_name text,
  query text NOT NULL,
  uses bigint NOT NULL,
  first_seen_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL
);
