-- The searched text. The line feeds prevent matches across two fields.
CREATE FUNCTION product_search_text(sku text, title text, tags text[], categories text[])
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN fold(concat_ws(E'\n', title, sku, array_to_string(tags, E'\n'), array_to_string(categories, E'\n')));

CREATE TABLE products (
  id uuid PRIMARY KEY,
  sku text NOT NULL,
  title text NOT NULL,
  description text NOT NULL DEFAULT '',
  price numeric(12, 2) NOT NULL CHECK (price >= 0),
  compare_at_price numeric(12, 2) CHECK (compare_at_price >= price),
  status text NOT NULL CHECK (status IN ('draft', 'active', 'archived')),
  images jsonb NOT NULL DEFAULT '[]',
  tags text[] NOT NULL DEFAULT '{}',
  categories text[] NOT NULL DEFAULT '{}',
  mandatory boolean NOT NULL DEFAULT false,
  stock integer NOT NULL DEFAULT 0,
  -- The sum of the product's reservations, stored here so that one statement can check and change it.
  reserved integer NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  sku_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(sku)) STORED,
  title_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (fold(title)) STORED,
  search_text text NOT NULL GENERATED ALWAYS AS (product_search_text(sku, title, tags, categories)) STORED,
  CONSTRAINT products_stock_covers_reserved CHECK (stock >= reserved)
);
CREATE UNIQUE INDEX products_sku ON products (sku_key) WHERE deleted_at IS NULL;
CREATE INDEX products_by_creation ON products (created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX products_by_update ON products (updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX products_by_price ON products (price, id) WHERE deleted_at IS NULL;
CREATE INDEX products_by_title ON products (title_key, id) WHERE deleted_at IS NULL;
CREATE INDEX products_by_tag ON products USING gin (tags) WHERE deleted_at IS NULL;
CREATE INDEX products_by_category ON products USING gin (categories) WHERE deleted_at IS NULL;
CREATE INDEX products_by_text ON products USING gin (search_text gin_trgm_ops) WHERE deleted_at IS NULL;

-- Reserved units. The row is deleted when they are sold or released, or when the reservation expires.
CREATE TABLE stock_reservations (
  id uuid PRIMARY KEY,
  product_id uuid NOT NULL REFERENCES products,
  quantity integer NOT NULL CHECK (quantity > 0),
  reference text,
  user_id bigint,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX stock_reservations_by_product ON stock_reservations (product_id, reference);
CREATE INDEX stock_reservations_by_expiry ON stock_reservations (expires_at);

-- Every change of `stock` and `reserved`: the changes of a product add up to its current values.
CREATE TABLE stock_movements (
  id uuid PRIMARY KEY,
  product_id uuid NOT NULL REFERENCES products,
  change integer NOT NULL,
  reserved_change integer NOT NULL,
  reason text NOT NULL,
  reference text,
  user_id bigint,
  at timestamptz NOT NULL
);
CREATE INDEX stock_movements_by_product ON stock_movements (product_id, at DESC, id DESC);

-- Maintains the counter `products`.
CREATE FUNCTION count_inserted_products() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counters SELECT 'products', count(*) FROM inserted WHERE deleted_at IS NULL HAVING count(*) > 0;
  PERFORM maybe_compact_counters(1);
  RETURN NULL;
END $$;
CREATE TRIGGER products_inserted AFTER INSERT ON products REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_products();

CREATE FUNCTION count_removed_products() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counters SELECT 'products', -count(*) FROM removed WHERE deleted_at IS NULL HAVING count(*) > 0;
  PERFORM maybe_compact_counters(1);
  RETURN NULL;
END $$;
CREATE TRIGGER products_removed AFTER DELETE ON products REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_removed_products();

CREATE FUNCTION count_hidden_product() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counters VALUES ('products', CASE WHEN new.deleted_at IS NULL THEN 1 ELSE -1 END);
  PERFORM maybe_compact_counters(1);
  RETURN NULL;
END $$;
CREATE TRIGGER products_hidden AFTER UPDATE OF deleted_at ON products FOR EACH ROW
  WHEN ((old.deleted_at IS NULL) <> (new.deleted_at IS NULL)) EXECUTE FUNCTION count_hidden_product();
