-- In PL/pgSQL, as `fold`: every write of an order calls it.
CREATE OR REPLACE FUNCTION order_search_text(order_number text, note text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN fold(concat_ws(E'\n', order_number, note));
END $$;
