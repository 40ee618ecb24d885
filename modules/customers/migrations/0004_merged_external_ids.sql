-- External ids of the removed customer that the remaining one could not take over, because it has another one on that platform.
ALTER TABLE customer_merges ADD COLUMN external_ids jsonb NOT NULL DEFAULT '{}';
CREATE INDEX customer_merges_by_external_id ON customer_merges USING gin (external_ids jsonb_path_ops);
