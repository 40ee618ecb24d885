-- For the filter by metadata, which most orders do not have.
CREATE INDEX orders_by_metadata ON orders USING gin (metadata jsonb_path_ops) WHERE deleted_at IS NULL AND metadata <> '{}';
