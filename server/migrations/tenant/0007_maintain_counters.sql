-- Maintains the counters of a table: creates the function `count_<table>` and its triggers. A migration calls it once.
--   names    a SELECT of the counters that include the row `r`
--   changed  a condition on `old` and `new`: updates are counted row by row where it holds. Without it, each UPDATE is
--            counted as a whole.
--   several  whether a row can have several counters, of which an update changes only some
-- The statements are part of the function, so that PostgreSQL plans them once in a session.
CREATE FUNCTION maintain_counters(counted text, names text, changed text DEFAULT NULL, several boolean DEFAULT false)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  function_name text := 'count_' || counted;
  change text := 'SELECT name, %s AS change FROM %s r, LATERAL (%s) AS counter (name)';
  inserted text := format(change, 1, 'new_rows', names);
  removed text := format(change, -1, 'old_rows', names);
  new_row text := CASE WHEN changed IS NULL THEN 'new_rows' ELSE '(SELECT new.*)' END;
  old_row text := CASE WHEN changed IS NULL THEN 'old_rows' ELSE '(SELECT old.*)' END;
  updated text := format(change || ' UNION ALL ' || change, 1, new_row, names, -1, old_row, names);
BEGIN
  IF changed IS NULL OR several THEN
    updated := format('SELECT name, sum(change) FROM (%s) AS changes GROUP BY name HAVING sum(change) <> 0', updated);
  END IF;
  EXECUTE format($definition$
    CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $function$
    DECLARE added bigint;
    BEGIN
      IF tg_op = 'INSERT' THEN
        INSERT INTO counters SELECT name, sum(change) FROM (%s) AS changes GROUP BY name;
      ELSIF tg_op = 'DELETE' THEN
        INSERT INTO counters SELECT name, sum(change) FROM (%s) AS changes GROUP BY name;
      ELSE
        INSERT INTO counters %s;
      END IF;
      GET DIAGNOSTICS added = ROW_COUNT;
      PERFORM maybe_compact_counters(added);
      RETURN NULL;
    END $function$ $definition$, function_name, inserted, removed, updated);
  EXECUTE format('CREATE TRIGGER count_inserted AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION %I()', counted, function_name);
  EXECUTE format('CREATE TRIGGER count_removed AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION %I()', counted, function_name);
  IF changed IS NULL THEN
    EXECUTE format('CREATE TRIGGER count_updated AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION %I()', counted, function_name);
  ELSE
    EXECUTE format('CREATE TRIGGER count_updated AFTER UPDATE ON %I FOR EACH ROW WHEN (%s) EXECUTE FUNCTION %I()',
      counted, changed, function_name);
  END IF;
END $$;
