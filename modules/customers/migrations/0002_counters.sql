-- With their triggers.
DROP FUNCTION count_customers(), count_changed_customer() CASCADE;
DROP FUNCTION customer_counters(customers);

-- Last orders are counted per UTC day, because `at risk` depends on the current time.
SELECT maintain_counters('customers', $$
  SELECT name FROM customer_vip_rule, LATERAL (VALUES
    ('customers', true),
    (CASE WHEN r.total_orders = 0 THEN 'customers.new' WHEN r.total_orders < 5 THEN 'customers.returning'
      ELSE 'customers.loyal' END, true),
    ('customers.vip', r.total_orders >= order_threshold OR r.total_spent >= spend_threshold),
    ('customers.marketing', r.accepts_marketing),
    ('customers.ordered', r.last_order_at IS NOT NULL),
    ('customers.last_order.' || to_char(r.last_order_at AT TIME ZONE 'UTC', 'YYYY-MM-DD'), r.last_order_at IS NOT NULL)
  ) AS counter (name, counts) WHERE counts AND r.deleted_at IS NULL $$,
  changed => $$ (old.deleted_at IS NULL, old.accepts_marketing, old.total_orders, old.total_spent, old.last_order_at)
    IS DISTINCT FROM (new.deleted_at IS NULL, new.accepts_marketing, new.total_orders, new.total_spent, new.last_order_at) $$,
  several => true);
