CREATE TABLE stock_locations (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  is_default boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE UNIQUE INDEX stock_locations_default ON stock_locations (is_default) WHERE is_default;
CREATE UNIQUE INDEX stock_locations_name ON stock_locations (lower(name)) WHERE deleted_at IS NULL;
SELECT stamp_changes('stock_locations');
INSERT INTO stock_locations (id, name, is_default, created_at, updated_at) VALUES (gen_random_uuid(), 'Main', true, now(), now());

-- The units of a variant at locations other than the default one, which has the rest of the variant's stock.
CREATE TABLE stock_levels (
  variant_id uuid NOT NULL REFERENCES product_variants,
  location_id uuid NOT NULL REFERENCES stock_locations,
  stock integer NOT NULL CHECK (stock >= 0),
  PRIMARY KEY (variant_id, location_id)
);
CREATE INDEX stock_levels_by_location ON stock_levels (location_id) WHERE stock > 0;

-- What the lines of orders hold of the stock: `quantity - committed` units are reserved.
CREATE TABLE order_stock (
  order_id uuid NOT NULL,
  line_id uuid NOT NULL,
  variant_id uuid NOT NULL REFERENCES product_variants,
  quantity integer NOT NULL,
  committed integer NOT NULL DEFAULT 0 CHECK (committed BETWEEN 0 AND quantity),
  restocked integer NOT NULL DEFAULT 0 CHECK (restocked >= 0),
  PRIMARY KEY (order_id, line_id)
);
CREATE INDEX order_stock_reserved ON order_stock (variant_id) WHERE quantity > committed;
