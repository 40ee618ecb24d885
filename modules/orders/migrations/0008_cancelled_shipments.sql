ALTER TABLE order_shipments DROP CONSTRAINT order_shipments_status_check,
  ADD CONSTRAINT order_shipments_status_check CHECK (status IN ('shipped', 'delivered', 'cancelled')) NOT VALID,
  ADD COLUMN cancelled_at timestamptz;
