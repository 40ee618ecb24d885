-- The channels of tenants that have their own; all others use the one of the environment.
CREATE TABLE release_channels (
  tenant_id text PRIMARY KEY REFERENCES tenants ON DELETE CASCADE,
  adapter text NOT NULL CHECK (adapter IN ('static', 's3', 'gitlab')),
  -- JSON, encrypted: it may hold a token.
  config_sealed text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- The last valid manifest of each channel, served while its source cannot be reached.
CREATE TABLE release_manifests (
  -- A digest of the adapter and its configuration.
  channel text PRIMARY KEY,
  manifest jsonb NOT NULL,
  etag text,
  fetched_at timestamptz NOT NULL,
  used_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX release_manifests_by_use ON release_manifests (used_at);
