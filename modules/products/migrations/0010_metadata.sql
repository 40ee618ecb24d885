-- For the filter by metadata, which most records do not have.
CREATE INDEX products_by_metadata ON products USING gin (metadata jsonb_path_ops)
  WHERE deleted_at IS NULL AND metadata <> '{}';
CREATE INDEX product_variants_by_metadata ON product_variants USING gin (metadata jsonb_path_ops)
  WHERE deleted_at IS NULL AND metadata <> '{}';
