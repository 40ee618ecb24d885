-- Amounts keep the decimals of their currency: two, or three. An older server beside this one reads and writes them as before.
ALTER TABLE products ALTER COLUMN price TYPE numeric, ALTER COLUMN compare_at_price TYPE numeric,
  ADD CONSTRAINT products_price_decimals CHECK (scale(price) <= 3 AND scale(compare_at_price) <= 3) NOT VALID,
  -- Variants that are sold when out of stock may have more units reserved than there are.
  DROP CONSTRAINT products_stock_covers_reserved;

ALTER TABLE products
  ADD COLUMN options jsonb NOT NULL DEFAULT '[]',
  -- 0 while a new product waits for its variants; otherwise a product without variants gets one.
  ADD COLUMN variant_count integer NOT NULL DEFAULT 1,
  -- NULL: all variants have the same price.
  ADD COLUMN price_max numeric,
  -- NULL for products that an older server has created: their id stands for it.
  ADD COLUMN slug text COLLATE "C",
  ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN external_ids jsonb NOT NULL DEFAULT '{}';

CREATE TABLE product_variants (
  id uuid PRIMARY KEY,
  product_id uuid NOT NULL REFERENCES products ON DELETE CASCADE,
  position integer NOT NULL,
  title text NOT NULL DEFAULT '',
  -- The value of each option of the product, by the name of the option.
  options jsonb NOT NULL DEFAULT '{}',
  sku text NOT NULL,
  price numeric NOT NULL CHECK (price >= 0 AND scale(price) <= 3),
  compare_at_price numeric CHECK (compare_at_price >= price AND scale(compare_at_price) <= 3),
  barcode text,
  weight_grams integer,
  image_id uuid,
  stock integer NOT NULL DEFAULT 0,
  reserved integer NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  continue_selling boolean NOT NULL DEFAULT false,
  taxable boolean NOT NULL DEFAULT true,
  metadata jsonb NOT NULL DEFAULT '{}',
  external_ids jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  sku_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(sku)) STORED
);
INSERT INTO product_variants (id, product_id, position, sku, price, compare_at_price, stock, reserved, created_at, updated_at, deleted_at)
SELECT id, id, 1, sku, price, compare_at_price, stock, reserved, created_at, updated_at, deleted_at FROM products;
CREATE UNIQUE INDEX product_variants_sku ON product_variants (sku_key) WHERE deleted_at IS NULL;
CREATE INDEX product_variants_by_product ON product_variants (product_id, position);
CREATE INDEX product_variants_by_barcode ON product_variants (barcode) WHERE barcode IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX product_variants_by_update ON product_variants (updated_at, id) WHERE deleted_at IS NULL;
SELECT stamp_changes('product_variants');

ALTER TABLE stock_movements ADD COLUMN variant_id uuid, ADD COLUMN location_id uuid, ADD COLUMN order_id uuid;
UPDATE stock_movements SET variant_id = product_id;
ALTER TABLE stock_reservations ADD COLUMN variant_id uuid;
UPDATE stock_reservations SET variant_id = product_id;

/* The values of a product are those of its variants. This server changes the price, SKU and stock of a product with one variant
   through the product, as an older server does; triggers keep both equal. Whoever changes variants locks their products first. */

CREATE FUNCTION first_variant(product uuid) RETURNS uuid LANGUAGE sql STABLE
  RETURN (SELECT id FROM product_variants WHERE product_id = product AND deleted_at IS NULL ORDER BY position, id LIMIT 1);

CREATE FUNCTION add_first_variants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO product_variants (id, product_id, position, sku, price, compare_at_price, stock, reserved, created_at, updated_at, deleted_at)
  SELECT id, id, 1, sku, price, compare_at_price, stock, reserved, created_at, updated_at, deleted_at
  FROM inserted WHERE variant_count > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER products_add_first_variants AFTER INSERT ON products REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION add_first_variants();

-- Prices, SKU and stock go to the first variant, a deletion to all.
CREATE FUNCTION pass_to_variants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_trigger_depth() > 1 THEN RETURN NULL; END IF;
  UPDATE product_variants v SET sku = CASE WHEN n.sku = o.sku THEN v.sku ELSE n.sku END,
    price = CASE WHEN n.price = o.price THEN v.price ELSE n.price END,
    compare_at_price = CASE WHEN n.compare_at_price IS NOT DISTINCT FROM o.compare_at_price
      THEN v.compare_at_price ELSE n.compare_at_price END,
    stock = v.stock + n.stock - o.stock, reserved = v.reserved + n.reserved - o.reserved, updated_at = n.updated_at
  FROM after_update n JOIN before_update o USING (id)
  WHERE (n.sku, n.price, n.compare_at_price, n.stock, n.reserved)
      IS DISTINCT FROM (o.sku, o.price, o.compare_at_price, o.stock, o.reserved)
    AND v.id = first_variant(n.id);
  UPDATE product_variants v SET deleted_at = n.deleted_at, updated_at = n.updated_at
  FROM after_update n JOIN before_update o USING (id)
  WHERE n.deleted_at IS DISTINCT FROM o.deleted_at AND v.product_id = n.id AND v.deleted_at IS NOT DISTINCT FROM o.deleted_at;
  RETURN NULL;
END $$;
CREATE TRIGGER products_pass_to_variants AFTER UPDATE ON products
  REFERENCING OLD TABLE AS before_update NEW TABLE AS after_update
  FOR EACH STATEMENT EXECUTE FUNCTION pass_to_variants();

-- The first SKU, the lowest and the highest price, and the sums of the stock.
CREATE FUNCTION summarize_variants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE products p SET variant_count = s.count, sku = s.sku, price = s.price, price_max = s.price_max,
    compare_at_price = s.compare_at_price, stock = s.stock, reserved = s.reserved,
    -- Not for stock, which orders change often: then no index of the product changes. Variants have the time of their stock.
    updated_at = CASE WHEN (p.variant_count, p.sku, p.price, p.price_max, p.compare_at_price)
      IS DISTINCT FROM (s.count, s.sku, s.price, s.price_max, s.compare_at_price)
      THEN greatest(p.updated_at, s.updated_at) ELSE p.updated_at END
  FROM (
    SELECT v.product_id, count(*) AS count, (array_agg(v.sku ORDER BY v.position, v.id))[1] AS sku, min(v.price) AS price,
      nullif(max(v.price), min(v.price)) AS price_max,
      (array_agg(v.compare_at_price ORDER BY v.price, v.position, v.id))[1] AS compare_at_price,
      least(sum(v.stock), 2147483647) AS stock, least(sum(v.reserved), 2147483647) AS reserved, max(c.updated_at) AS updated_at
    FROM (SELECT product_id, max(updated_at) AS updated_at FROM changed GROUP BY product_id) c
      JOIN product_variants v ON v.product_id = c.product_id AND v.deleted_at IS NULL
    GROUP BY v.product_id) s
  WHERE p.id = s.product_id
    AND (p.variant_count, p.sku, p.price, p.price_max, p.compare_at_price, p.stock, p.reserved)
      IS DISTINCT FROM (s.count, s.sku, s.price, s.price_max, s.compare_at_price, s.stock, s.reserved);
  RETURN NULL;
END $$;
CREATE TRIGGER product_variants_inserted AFTER INSERT ON product_variants REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION summarize_variants();
CREATE TRIGGER product_variants_updated AFTER UPDATE ON product_variants REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION summarize_variants();

-- For rows of an older server.
CREATE FUNCTION name_first_variant() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.variant_id := first_variant(new.product_id);
  RETURN new;
END $$;
CREATE TRIGGER name_variant BEFORE INSERT ON stock_movements FOR EACH ROW
  WHEN (new.variant_id IS NULL) EXECUTE FUNCTION name_first_variant();
CREATE TRIGGER name_variant BEFORE INSERT ON stock_reservations FOR EACH ROW
  WHEN (new.variant_id IS NULL) EXECUTE FUNCTION name_first_variant();

-- Slugs of existing products. Titles that no letter of can be written keep their id.
UPDATE products p SET slug = CASE WHEN b.number = 1 THEN b.slug ELSE b.slug || '-' || right(p.id::text, 12) END
FROM (
  SELECT id, slug, row_number() OVER (PARTITION BY slug ORDER BY created_at, id) AS number
  FROM (
    SELECT id, created_at, left(trim(BOTH '-' FROM regexp_replace(fold(title), '[^a-z0-9]+', '-', 'g')), 100) AS slug
    FROM products WHERE deleted_at IS NULL) all_slugs
  WHERE slug <> '') b
WHERE p.id = b.id;
CREATE UNIQUE INDEX products_slug ON products (slug) WHERE deleted_at IS NULL;

-- The ids of products and variants on other platforms, each for one product and one variant.
CREATE TABLE product_external_ids (
  kind text NOT NULL CHECK (kind IN ('product', 'variant')),
  platform text NOT NULL,
  external_id text NOT NULL,
  record_id uuid NOT NULL,
  PRIMARY KEY (kind, platform, external_id)
);
CREATE INDEX product_external_ids_by_record ON product_external_ids (record_id);
CREATE FUNCTION index_external_ids() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM product_external_ids WHERE record_id = new.id AND kind = tg_argv[0];
  INSERT INTO product_external_ids
  SELECT tg_argv[0], key, value, new.id FROM jsonb_each_text(new.external_ids) WHERE new.deleted_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER external_ids_inserted AFTER INSERT ON products FOR EACH ROW
  WHEN (new.external_ids <> '{}') EXECUTE FUNCTION index_external_ids('product');
CREATE TRIGGER external_ids_updated AFTER UPDATE OF external_ids, deleted_at ON products FOR EACH ROW
  WHEN (new.external_ids <> old.external_ids OR (new.external_ids <> '{}' AND new.deleted_at IS DISTINCT FROM old.deleted_at))
  EXECUTE FUNCTION index_external_ids('product');
CREATE TRIGGER external_ids_inserted AFTER INSERT ON product_variants FOR EACH ROW
  WHEN (new.external_ids <> '{}') EXECUTE FUNCTION index_external_ids('variant');
CREATE TRIGGER external_ids_updated AFTER UPDATE OF external_ids, deleted_at ON product_variants FOR EACH ROW
  WHEN (new.external_ids <> old.external_ids OR (new.external_ids <> '{}' AND new.deleted_at IS DISTINCT FROM old.deleted_at))
  EXECUTE FUNCTION index_external_ids('variant');

-- Images that were uploaded before their product was saved. Removed after a day.
CREATE TABLE product_uploads (
  id uuid PRIMARY KEY,
  image jsonb NOT NULL,
  created_at timestamptz NOT NULL
);
