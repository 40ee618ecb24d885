-- With their triggers.
DROP FUNCTION count_inserted_products(), count_removed_products(), count_hidden_product() CASCADE;

SELECT maintain_counters('products', $$ SELECT 'products' WHERE r.deleted_at IS NULL $$,
  changed => '(old.deleted_at IS NULL) <> (new.deleted_at IS NULL)');
