-- The platform version of the process of the ring that started last; NULL until one has.
ALTER TABLE module_rings ADD COLUMN platform_version text;

-- What operators did with rings and modules. Kept after the tenant or the ring is gone.
CREATE TABLE ring_operations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  -- A user of the platform, or the account of the operating system that ran the command.
  operator text NOT NULL,
  -- `assign`, `promote`, `rollback`, `create`, `activate`, `deactivate`, `default`, `module.install`, `module.upgrade`, …
  operation text NOT NULL,
  ring text NOT NULL,
  tenant_id text,
  alias text,
  -- The ring of the tenant, or the version of the module, before and after.
  from_value text,
  to_value text,
  status text NOT NULL DEFAULT 'done' CHECK (status IN ('done', 'failed')),
  forced boolean NOT NULL DEFAULT false,
  reason text,
  details jsonb
);
CREATE INDEX ring_operations_by_tenant ON ring_operations (tenant_id, id) WHERE tenant_id IS NOT NULL;
CREATE INDEX ring_operations_by_module ON ring_operations (ring, alias, id) WHERE alias IS NOT NULL;
-- Followers of the list miss no change.
SELECT stamp_changes('ring_operations', 'at');

-- Calls of each version of a module, by hour, for `ring:promote --soak`.
CREATE TABLE module_call_counts (
  ring text NOT NULL,
  alias text NOT NULL,
  version text NOT NULL,
  hour timestamptz NOT NULL,
  calls bigint NOT NULL DEFAULT 0,
  -- Calls that failed with an internal error.
  errors bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (ring, alias, version, hour)
);
