-- The files of modules. Their content is in the file storage.
CREATE TABLE stored_files (
  id uuid PRIMARY KEY,
  module text NOT NULL,
  type text NOT NULL,
  -- In bytes.
  size bigint NOT NULL,
  is_public boolean NOT NULL,
  created_at timestamptz NOT NULL
);
