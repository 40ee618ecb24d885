-- The searched text, without the phone, which only some users may see. Line feeds prevent matches across two fields.
-- Chinese, Japanese and Korean names are written without a space, with the family name first or last.
CREATE FUNCTION customer_search_text(first_name text, last_name text, email text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN fold(concat_ws(E'\n', concat_ws(' ', first_name, last_name), email,
    CASE WHEN first_name ~ '^[⺀-鿿가-힣]' AND last_name ~ '^[⺀-鿿가-힣]' THEN concat(last_name, first_name, last_name) END));

CREATE TABLE customers (
  id uuid PRIMARY KEY,
  external_ids jsonb NOT NULL DEFAULT '{}',
  -- Collation C, so that the index supports prefix searches.
  email text COLLATE "C",
  phone text,
  first_name text,
  last_name text,
  accepts_marketing boolean NOT NULL DEFAULT false,
  total_orders integer NOT NULL DEFAULT 0,
  total_spent numeric(18, 2) NOT NULL DEFAULT 0,
  avg_order_value numeric(18, 2) NOT NULL DEFAULT 0,
  first_order_at timestamptz,
  last_order_at timestamptz,
  -- Of total_spent and avg_order_value; orders in other currencies only count in total_orders.
  currency text,
  other_currencies text[] NOT NULL DEFAULT '{}',
  tags text[] NOT NULL DEFAULT '{}',
  notes text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  anonymized_at timestamptz,
  first_name_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (coalesce(fold(first_name), '')) STORED,
  search_text text NOT NULL GENERATED ALWAYS AS (customer_search_text(first_name, last_name, email)) STORED,
  phone_digits text GENERATED ALWAYS AS (regexp_replace(phone, '\D', '', 'g')) STORED
);
CREATE UNIQUE INDEX customers_email ON customers (email) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX customers_phone ON customers (phone) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_creation ON customers (created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_update ON customers (updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_name ON customers (first_name_key, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_orders ON customers (total_orders, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_spent ON customers (total_spent, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_last_order ON customers (coalesce(last_order_at, '-infinity'::timestamptz), id)
  WHERE deleted_at IS NULL;
CREATE INDEX customers_by_external_id ON customers USING gin (external_ids jsonb_path_ops) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_tag ON customers USING gin (tags) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_text ON customers USING gin (search_text gin_trgm_ops) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_phone ON customers USING gin (phone_digits gin_trgm_ops) WHERE deleted_at IS NULL;

CREATE TABLE customer_addresses (
  id uuid PRIMARY KEY,
  customer_id uuid NOT NULL REFERENCES customers,
  type text NOT NULL CHECK (type IN ('billing', 'shipping')),
  is_default boolean NOT NULL DEFAULT false,
  first_name text,
  last_name text,
  company text,
  address1 text,
  address2 text,
  city text,
  state text,
  pincode text,
  country text,
  phone text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX customer_addresses_by_customer ON customer_addresses (customer_id, created_at);
CREATE UNIQUE INDEX customer_addresses_default ON customer_addresses (customer_id, type) WHERE is_default;

-- Values that other modules store about a customer, each under its own keys.
CREATE TABLE customer_metadata (
  id uuid PRIMARY KEY,
  customer_id uuid NOT NULL REFERENCES customers,
  key text NOT NULL,
  value text NOT NULL,
  module_source text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT customer_metadata_key UNIQUE (customer_id, module_source, key)
);

-- The customer that a merged customer belongs to now, after all later merges.
CREATE TABLE customer_merges (
  id uuid PRIMARY KEY,
  merged_into uuid NOT NULL,
  user_id bigint,
  merged_at timestamptz NOT NULL
);
CREATE INDEX customer_merges_by_customer ON customer_merges (merged_into);

-- The VIP thresholds of the counter `customers.vip`, copied from the tenant's settings. When the settings change,
-- update_customer_vip_rule recounts.
CREATE TABLE customer_vip_rule (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  order_threshold integer NOT NULL,
  -- Not rounded: it is compared with the setting.
  spend_threshold numeric NOT NULL
);
INSERT INTO customer_vip_rule (order_threshold, spend_threshold) VALUES (10, 50000);

-- The counters that include a customer. Last orders are counted per UTC day, because `at risk` depends on the current time.
CREATE FUNCTION customer_counters(c customers) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT name FROM customer_vip_rule, LATERAL (VALUES
    ('customers', true),
    (CASE WHEN c.total_orders = 0 THEN 'customers.new' WHEN c.total_orders < 5 THEN 'customers.returning'
      ELSE 'customers.loyal' END, true),
    ('customers.vip', c.total_orders >= order_threshold OR c.total_spent >= spend_threshold),
    ('customers.marketing', c.accepts_marketing),
    ('customers.ordered', c.last_order_at IS NOT NULL),
    ('customers.last_order.' || to_char(c.last_order_at AT TIME ZONE 'UTC', 'YYYY-MM-DD'), c.last_order_at IS NOT NULL)
  ) AS counter (name, counts) WHERE counts AND c.deleted_at IS NULL
$$;

CREATE FUNCTION count_customers() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  added bigint;
BEGIN
  INSERT INTO counters
  SELECT name, CASE tg_op WHEN 'INSERT' THEN count(*) ELSE -count(*) END
  FROM changed c, customer_counters(c) AS name GROUP BY name;
  GET DIAGNOSTICS added = ROW_COUNT;
  PERFORM maybe_compact_counters(added);
  RETURN NULL;
END $$;
CREATE TRIGGER customers_inserted AFTER INSERT ON customers REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_customers();
CREATE TRIGGER customers_removed AFTER DELETE ON customers REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_customers();

CREATE FUNCTION count_changed_customer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  added bigint;
BEGIN
  INSERT INTO counters
  SELECT name, sum(change) FROM (
    SELECT name, 1 AS change FROM customer_counters(new) AS name
    UNION ALL SELECT name, -1 FROM customer_counters(old) AS name) AS changes
  GROUP BY name HAVING sum(change) <> 0;
  GET DIAGNOSTICS added = ROW_COUNT;
  PERFORM maybe_compact_counters(added);
  RETURN NULL;
END $$;
CREATE TRIGGER customers_changed AFTER UPDATE ON customers FOR EACH ROW
  WHEN ((old.deleted_at IS NULL, old.accepts_marketing, old.total_orders, old.total_spent, old.last_order_at)
    IS DISTINCT FROM (new.deleted_at IS NULL, new.accepts_marketing, new.total_orders, new.total_spent, new.last_order_at))
  EXECUTE FUNCTION count_changed_customer();

-- Stores new VIP thresholds and recounts. The lock waits for uncommitted changes that were counted by the old thresholds
-- and blocks later ones, so the function returns without a change if it does not get the lock within a second.
CREATE FUNCTION update_customer_vip_rule(orders integer, spend numeric) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '1s' AS $$
BEGIN
  -- A concurrent call waits here and then finds the thresholds stored.
  PERFORM FROM customer_vip_rule WHERE (order_threshold, spend_threshold) IS DISTINCT FROM (orders, spend) FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  LOCK TABLE customers IN SHARE MODE;
  UPDATE customer_vip_rule SET order_threshold = orders, spend_threshold = spend;
  INSERT INTO counters
  SELECT 'customers.vip', count(*) - (SELECT coalesce(sum(value), 0) FROM counters WHERE name = 'customers.vip')
  FROM customers WHERE deleted_at IS NULL AND (total_orders >= orders OR total_spent >= spend);
EXCEPTION WHEN lock_not_available THEN RETURN;
END $$;
