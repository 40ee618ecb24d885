-- The files of system modules. Their content is in the file storage.
CREATE TABLE stored_files (
  id uuid PRIMARY KEY,
  module text NOT NULL,
  type text NOT NULL,
  -- In bytes.
  size bigint NOT NULL,
  is_public boolean NOT NULL,
  created_at timestamptz NOT NULL
);

-- Files that a transaction stores or removes, written before it ends. Afterwards, the content of those without a row in
-- `stored_files` is deleted.
CREATE TABLE unsettled_files (
  id uuid PRIMARY KEY,
  file_id uuid NOT NULL,
  -- In the file storage.
  key text NOT NULL,
  -- NULL: of a system module.
  tenant_id text,
  since timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX unsettled_files_by_time ON unsettled_files (since);
