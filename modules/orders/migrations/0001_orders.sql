-- The last number given to an order. Taken with the order itself, so that no number is left out.
CREATE TABLE order_numbers (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  last bigint NOT NULL
);
INSERT INTO order_numbers (last) VALUES (1000);

CREATE TABLE orders (
  id uuid PRIMARY KEY,
  number bigint NOT NULL CONSTRAINT orders_number UNIQUE,
  -- A row of `customers`; whoever writes it holds the customer's lock, and a merge takes it along.
  customer_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN
    ('pending', 'confirmed', 'processing', 'shipped', 'delivered', 'cancelled', 'failed', 'refunded')),
  currency text NOT NULL,
  total numeric(12, 2) NOT NULL CHECK (total >= 0),
  refunded_total numeric(12, 2) NOT NULL DEFAULT 0 CHECK (refunded_total BETWEEN 0 AND total),
  shipping_address jsonb,
  note text,
  placed_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE INDEX orders_by_customer ON orders (customer_id, placed_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX orders_by_time ON orders (placed_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX orders_by_status ON orders (status, placed_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX orders_by_total ON orders (total, id) WHERE deleted_at IS NULL;

CREATE TABLE order_items (
  id uuid PRIMARY KEY,
  order_id uuid NOT NULL REFERENCES orders,
  position integer NOT NULL,
  name text NOT NULL,
  sku text,
  quantity integer NOT NULL CHECK (quantity > 0),
  price numeric(12, 2) NOT NULL CHECK (price >= 0)
);
CREATE INDEX order_items_by_order ON order_items (order_id, position);

-- What has happened to an order: every status with who set it and why, every refund with its amount.
CREATE TABLE order_history (
  id uuid PRIMARY KEY,
  order_id uuid NOT NULL REFERENCES orders,
  status text NOT NULL,
  previous_status text,
  refunded numeric(12, 2),
  reason text,
  user_id bigint,
  at timestamptz NOT NULL
);
CREATE INDEX order_history_by_order ON order_history (order_id, at, id);
