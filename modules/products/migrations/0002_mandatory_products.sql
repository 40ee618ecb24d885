-- The product of the reseller that this one is a copy of.
ALTER TABLE products ADD COLUMN source_id uuid;
CREATE UNIQUE INDEX products_by_source ON products (source_id) WHERE source_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX products_mandatory ON products (id) WHERE mandatory AND deleted_at IS NULL;
