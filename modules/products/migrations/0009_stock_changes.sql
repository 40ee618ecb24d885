-- In PL/pgSQL, as `fold`: every write of a product calls it.
CREATE OR REPLACE FUNCTION product_search_text(sku text, title text, tags text[], categories text[])
RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN fold(concat_ws(E'\n', title, sku, array_to_string(tags, E'\n'), array_to_string(categories, E'\n')));
END $$;

-- The first SKU, the lowest and the highest price, and the sums of the stock. Orders change the stock of variants and nothing else:
-- then the sums change by as much, unless one is at its limit. A product that was changed itself has the new sums already.
CREATE OR REPLACE FUNCTION summarize_variants() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  added bigint;
BEGIN
  IF tg_op = 'UPDATE' AND pg_trigger_depth() = 1 THEN
    UPDATE products p SET stock = p.stock + s.stock, reserved = p.reserved + s.reserved
    FROM (
      SELECT n.product_id, sum(n.stock::bigint - o.stock) AS stock, sum(n.reserved::bigint - o.reserved) AS reserved
      FROM changed n JOIN before_update o USING (id)
      GROUP BY n.product_id
      HAVING bool_and((n.product_id, n.position, n.sku, n.price, n.compare_at_price, n.deleted_at)
        IS NOT DISTINCT FROM (o.product_id, o.position, o.sku, o.price, o.compare_at_price, o.deleted_at))) s
    WHERE p.id = s.product_id AND greatest(p.stock, p.reserved, p.stock + s.stock, p.reserved + s.reserved) < 2147483647
      AND (s.stock <> 0 OR s.reserved <> 0);
    GET DIAGNOSTICS added = ROW_COUNT;
    IF added = (SELECT count(DISTINCT product_id) FROM changed) THEN RETURN NULL; END IF;
  END IF;
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
CREATE OR REPLACE TRIGGER product_variants_updated AFTER UPDATE ON product_variants
  REFERENCING OLD TABLE AS before_update NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION summarize_variants();
