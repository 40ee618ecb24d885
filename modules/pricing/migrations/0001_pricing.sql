CREATE TABLE discounts (
  id uuid PRIMARY KEY,
  code text NOT NULL,
  title text,
  kind text NOT NULL CHECK (kind IN ('percent', 'fixed', 'free_shipping')),
  value numeric(15, 3) NOT NULL CHECK (value >= 0),
  applies_to text NOT NULL CHECK (applies_to IN ('all', 'products', 'collections', 'variants')),
  target_ids uuid[] NOT NULL DEFAULT '{}',
  minimum_subtotal numeric(15, 3),
  minimum_quantity integer,
  starts_at timestamptz,
  ends_at timestamptz,
  usage_limit integer,
  once_per_customer boolean NOT NULL,
  combines boolean NOT NULL,
  is_active boolean NOT NULL,
  -- The orders that have used the code, stored here so that one statement can check and change it.
  uses integer NOT NULL DEFAULT 0 CHECK (uses >= 0),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  code_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(code)) STORED
);
CREATE UNIQUE INDEX discounts_code ON discounts (code_key);
CREATE INDEX discounts_by_creation ON discounts (created_at DESC, id DESC);
CREATE INDEX discounts_by_update ON discounts (updated_at, id);
SELECT stamp_changes('discounts');

-- The codes of orders. The row is deleted when the order is cancelled.
CREATE TABLE discount_redemptions (
  discount_id uuid NOT NULL REFERENCES discounts ON DELETE CASCADE,
  order_id uuid NOT NULL,
  customer_id uuid,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (discount_id, order_id)
);
CREATE INDEX discount_redemptions_by_order ON discount_redemptions (order_id);
CREATE INDEX discount_redemptions_by_customer ON discount_redemptions (customer_id, discount_id);

CREATE TABLE tax_rates (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  country text NOT NULL,
  -- NULL: the whole country.
  state text,
  tax_class text NOT NULL,
  -- Percent.
  rate numeric(7, 4) NOT NULL CHECK (rate BETWEEN 0 AND 100),
  priority integer NOT NULL,
  includes_shipping boolean NOT NULL,
  is_active boolean NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX tax_rates_name ON tax_rates (country, state, tax_class, lower(name)) NULLS NOT DISTINCT;
CREATE INDEX tax_rates_by_creation ON tax_rates (created_at DESC, id DESC);
CREATE INDEX tax_rates_by_update ON tax_rates (updated_at, id);
SELECT stamp_changes('tax_rates');

-- Customers who pay no tax.
CREATE TABLE tax_exemptions (
  customer_id uuid PRIMARY KEY,
  reason text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE TABLE shipping_zones (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  -- Countries with their states; without states the whole country.
  regions jsonb NOT NULL,
  rest_of_world boolean NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX shipping_zones_by_creation ON shipping_zones (created_at DESC, id DESC);
CREATE INDEX shipping_zones_by_update ON shipping_zones (updated_at, id);
SELECT stamp_changes('shipping_zones');

CREATE TABLE shipping_rates (
  id uuid PRIMARY KEY,
  zone_id uuid NOT NULL REFERENCES shipping_zones ON DELETE CASCADE,
  name text NOT NULL,
  price numeric(15, 3) NOT NULL CHECK (price >= 0),
  -- Grams.
  minimum_weight integer,
  maximum_weight integer,
  -- Of the goods, after discounts.
  minimum_total numeric(15, 3),
  maximum_total numeric(15, 3),
  free_above numeric(15, 3),
  is_active boolean NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX shipping_rates_by_zone ON shipping_rates (zone_id, created_at DESC, id DESC);
CREATE INDEX shipping_rates_by_creation ON shipping_rates (created_at DESC, id DESC);
CREATE INDEX shipping_rates_by_update ON shipping_rates (updated_at, id);
SELECT stamp_changes('shipping_rates');
