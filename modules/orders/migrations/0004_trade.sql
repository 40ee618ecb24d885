-- Amounts keep the decimals of their currency: two, or three. An older server beside this one reads and writes them as before.
ALTER TABLE orders ALTER COLUMN total TYPE numeric, ALTER COLUMN refunded_total TYPE numeric,
  ADD CONSTRAINT orders_decimals CHECK (scale(total) <= 3 AND scale(refunded_total) <= 3) NOT VALID;
ALTER TABLE order_items ALTER COLUMN price TYPE numeric,
  ADD CONSTRAINT order_items_decimals CHECK (scale(price) <= 3) NOT VALID;
ALTER TABLE order_history ALTER COLUMN refunded TYPE numeric;

ALTER TABLE orders
  -- NULL: the total, for orders of an older server.
  ADD COLUMN subtotal numeric,
  ADD COLUMN discount_total numeric NOT NULL DEFAULT 0,
  ADD COLUMN shipping_total numeric NOT NULL DEFAULT 0,
  ADD COLUMN tax_total numeric NOT NULL DEFAULT 0,
  ADD COLUMN paid_total numeric NOT NULL DEFAULT 0,
  ADD COLUMN prices_include_tax boolean NOT NULL DEFAULT false,
  ADD COLUMN discounts jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN taxes jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN shipping jsonb,
  -- What the price was calculated from, besides the items: codes, discounts and shipping as they were sent.
  ADD COLUMN price_choices jsonb NOT NULL DEFAULT '{}',
  -- Whether the order reserves stock. Orders of an older server do not.
  ADD COLUMN track_stock boolean NOT NULL DEFAULT false,
  ADD COLUMN contact jsonb,
  ADD COLUMN billing_address jsonb,
  ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN external_ids jsonb NOT NULL DEFAULT '{}';

ALTER TABLE order_items
  ADD COLUMN product_id uuid,
  ADD COLUMN variant_id uuid,
  ADD COLUMN taxable boolean NOT NULL DEFAULT true,
  ADD COLUMN weight_grams integer,
  ADD COLUMN image_url text,
  ADD COLUMN discount jsonb,
  ADD COLUMN discount_total numeric NOT NULL DEFAULT 0,
  ADD COLUMN taxes jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN tax_total numeric NOT NULL DEFAULT 0,
  -- NULL: quantity times price, for items of an older server.
  ADD COLUMN subtotal numeric,
  ADD COLUMN total numeric;
CREATE INDEX order_items_by_variant ON order_items (variant_id) WHERE variant_id IS NOT NULL;

-- The ids of orders on other platforms, each for one order.
CREATE TABLE order_external_ids (
  platform text NOT NULL,
  external_id text NOT NULL,
  order_id uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  CONSTRAINT order_external_ids_unique PRIMARY KEY (platform, external_id)
);
CREATE INDEX order_external_ids_by_order ON order_external_ids (order_id);
CREATE FUNCTION index_order_external_ids() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM order_external_ids WHERE order_id = new.id;
  INSERT INTO order_external_ids SELECT key, value, new.id FROM jsonb_each_text(new.external_ids) WHERE new.deleted_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER external_ids_inserted AFTER INSERT ON orders FOR EACH ROW
  WHEN (new.external_ids <> '{}') EXECUTE FUNCTION index_order_external_ids();
CREATE TRIGGER external_ids_updated AFTER UPDATE OF external_ids, deleted_at ON orders FOR EACH ROW
  WHEN (new.external_ids <> old.external_ids OR (new.external_ids <> '{}' AND new.deleted_at IS DISTINCT FROM old.deleted_at))
  EXECUTE FUNCTION index_order_external_ids();
