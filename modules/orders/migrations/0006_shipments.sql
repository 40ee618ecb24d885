-- Orders that are shipped or delivered count as fulfilled whatever this says: an older server beside this one does not write it.
ALTER TABLE orders ADD COLUMN fulfillment_status text NOT NULL DEFAULT 'unfulfilled';
ALTER TABLE orders ADD CONSTRAINT orders_fulfillment_status
  CHECK (fulfillment_status IN ('unfulfilled', 'partly_fulfilled', 'fulfilled')) NOT VALID;
ALTER TABLE order_items ADD COLUMN shipped_quantity integer NOT NULL DEFAULT 0;
ALTER TABLE order_items ADD CONSTRAINT order_items_shipped CHECK (shipped_quantity BETWEEN 0 AND quantity) NOT VALID;

CREATE TABLE order_shipments (
  id uuid PRIMARY KEY,
  order_id uuid NOT NULL REFERENCES orders,
  carrier text,
  tracking_number text,
  tracking_url text,
  -- A row of `stock_locations`. NULL: the default one.
  location_id uuid,
  status text NOT NULL CHECK (status IN ('shipped', 'delivered')),
  shipped_at timestamptz NOT NULL,
  delivered_at timestamptz,
  user_id bigint,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX order_shipments_by_order ON order_shipments (order_id, created_at, id);

CREATE TABLE order_shipment_items (
  shipment_id uuid NOT NULL REFERENCES order_shipments,
  item_id uuid NOT NULL REFERENCES order_items,
  quantity integer NOT NULL CHECK (quantity > 0),
  PRIMARY KEY (shipment_id, item_id)
);
CREATE INDEX order_shipment_items_by_item ON order_shipment_items (item_id);

-- Orders that are prepared and not placed yet. They have no number and reserve nothing.
CREATE TABLE draft_orders (
  id uuid PRIMARY KEY,
  -- A row of `customers`, locked before this one is written. A merge changes it.
  customer_id uuid,
  -- The order as it was sent, without the customer's id.
  input jsonb NOT NULL DEFAULT '{}',
  -- As calculated when the draft was saved.
  total numeric NOT NULL,
  currency text NOT NULL,
  -- The order that was created from it.
  order_id uuid,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX draft_orders_by_creation ON draft_orders (created_at DESC, id DESC);
CREATE INDEX draft_orders_by_update ON draft_orders (updated_at, id);
CREATE INDEX draft_orders_by_customer ON draft_orders (customer_id);
SELECT stamp_changes('draft_orders');
