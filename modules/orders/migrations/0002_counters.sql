-- With their triggers.
DROP FUNCTION count_inserted_orders(), count_removed_orders(), count_changed_order() CASCADE;

SELECT maintain_counters('orders', $$ SELECT 'orders.' || r.status WHERE r.deleted_at IS NULL $$,
  changed => '(old.status, old.deleted_at IS NULL) IS DISTINCT FROM (new.status, new.deleted_at IS NULL)');
