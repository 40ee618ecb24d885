-- In PL/pgSQL: PostgreSQL does not inline an SQL function that is declared IMMUTABLE and calls STABLE ones, and to start it takes
-- several times as long as its work.
CREATE OR REPLACE FUNCTION iso(at timestamptz) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE STRICT AS $$
BEGIN
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
END $$;
