-- In PL/pgSQL, as `fold`: every write of a customer calls it.
CREATE OR REPLACE FUNCTION customer_search_text(first_name text, last_name text, email text)
RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN fold(concat_ws(E'\n', concat_ws(' ', first_name, last_name), email,
    CASE WHEN first_name ~ '^[⺀-鿿가-힣]' AND last_name ~ '^[⺀-鿿가-힣]' THEN concat(last_name, first_name, last_name) END));
END $$;
