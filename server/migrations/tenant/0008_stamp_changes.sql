-- Makes the changes of a table followable: `stamp_changes('orders')`, or with the name of the column for logs. Writers read
-- their clocks before they wait for locks; this sets the time of the change when the row is written, after the transaction
-- has become visible to readers as open (`isSettled` in kit/src/list-sql.ts), and always later than the previous change.
-- Times of more than an hour ago are those of an import or of demo data, and are kept. A migration calls it once.
CREATE FUNCTION stamp_changes(stamped text, time_column text DEFAULT 'updated_at') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format($definition$
    CREATE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql AS $function$
    BEGIN
      PERFORM pg_current_xact_id();
      new.%3$I := greatest(new.%3$I, clock_timestamp());
      IF tg_op = 'UPDATE' THEN new.%3$I := greatest(new.%3$I, old.%3$I + interval '1 millisecond'); END IF;
      RETURN new;
    END $function$;
    CREATE TRIGGER stamp_inserted BEFORE INSERT ON %2$I FOR EACH ROW
      WHEN (new.%3$I > now() - interval '1 hour') EXECUTE FUNCTION %1$I();
    CREATE TRIGGER stamp_updated BEFORE UPDATE ON %2$I FOR EACH ROW
      WHEN (new.%3$I <> old.%3$I AND new.%3$I > now() - interval '1 hour') EXECUTE FUNCTION %1$I();
  $definition$, 'stamp_' || stamped, stamped, time_column);
END $$;
