-- The searched text. The line feed prevents matches across two fields.
CREATE FUNCTION order_search_text(order_number text, note text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN fold(concat_ws(E'\n', order_number, note));

-- The number of the last order, updated in the transaction of the order, so that there are no gaps.
CREATE TABLE order_numbers (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  last bigint NOT NULL
);
INSERT INTO order_numbers (last) VALUES (1000);

CREATE TABLE orders (
  id uuid PRIMARY KEY,
  number bigint NOT NULL CONSTRAINT orders_number UNIQUE,
  -- The number with the prefix of the time of creation. Unique, because a prefix never ends with a digit.
  order_number text NOT NULL,
  -- A row of `customers`, locked before this one is written. A merge changes it.
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
  deleted_at timestamptz,
  search_text text NOT NULL GENERATED ALWAYS AS (order_search_text(order_number, note)) STORED
);
-- Includes the columns of the customer statistics.
CREATE INDEX orders_by_customer ON orders (customer_id, placed_at DESC, id DESC) INCLUDE (status, total, currency)
  WHERE deleted_at IS NULL;
CREATE INDEX orders_by_time ON orders (placed_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX orders_by_update ON orders (updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX orders_by_status ON orders (status, placed_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX orders_by_total ON orders (total, id) WHERE deleted_at IS NULL;
CREATE INDEX orders_by_text ON orders USING gin (search_text gin_trgm_ops) WHERE deleted_at IS NULL;

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

-- Every change of status, with user and reason, every refund, with its amount, and every change of items, total or date,
-- with the values before and after.
CREATE TABLE order_history (
  id uuid PRIMARY KEY,
  order_id uuid NOT NULL REFERENCES orders,
  status text NOT NULL,
  previous_status text,
  refunded numeric(12, 2),
  changes jsonb,
  reason text,
  user_id bigint,
  at timestamptz NOT NULL
);
CREATE INDEX order_history_by_order ON order_history (order_id, at, id);

-- Maintains the counters `orders.<status>`.
CREATE FUNCTION count_inserted_orders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counters
  SELECT 'orders.' || status, count(*) FROM inserted WHERE deleted_at IS NULL GROUP BY status;
  PERFORM maybe_compact_counters(1);
  RETURN NULL;
END $$;
CREATE TRIGGER orders_inserted AFTER INSERT ON orders REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_orders();

CREATE FUNCTION count_removed_orders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counters
  SELECT 'orders.' || status, -count(*) FROM removed WHERE deleted_at IS NULL GROUP BY status;
  PERFORM maybe_compact_counters(1);
  RETURN NULL;
END $$;
CREATE TRIGGER orders_removed AFTER DELETE ON orders REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_removed_orders();

CREATE FUNCTION count_changed_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counters
  SELECT 'orders.' || status, change FROM (VALUES
    (old.status, -(old.deleted_at IS NULL)::integer), (new.status, (new.deleted_at IS NULL)::integer))
    AS step (status, change)
  WHERE change <> 0;
  PERFORM maybe_compact_counters(2);
  RETURN NULL;
END $$;
CREATE TRIGGER orders_changed AFTER UPDATE ON orders FOR EACH ROW
  WHEN ((old.status, old.deleted_at IS NULL) IS DISTINCT FROM (new.status, new.deleted_at IS NULL))
  EXECUTE FUNCTION count_changed_order();
