-- For the filter by metadata. Values can be longer than an index entry.
CREATE INDEX customer_metadata_by_value ON customer_metadata (key, md5(value));

-- Every write of an external id looks it up. Without pending entries, which would be read as a whole each time, and without
-- `deleted_at`: while the table has no statistics, PostgreSQL takes other indexes with that condition for better ones.
CREATE INDEX customers_with_external_id ON customers USING gin (external_ids jsonb_path_ops) WITH (fastupdate = off)
  WHERE external_ids <> '{}';
