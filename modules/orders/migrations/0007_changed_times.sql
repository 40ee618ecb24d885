-- When the orders were placed that have changed, before and after the change, for figures by day. Every change adds rows and waits
-- for no other; who calculates the figures again deletes them (`orders.takeChangedDays`).
CREATE TABLE order_changed_times (
  placed_at timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE FUNCTION note_changed_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF tg_op <> 'INSERT' THEN
    INSERT INTO order_changed_times VALUES (old.placed_at);
    IF tg_op = 'DELETE' OR new.placed_at = old.placed_at THEN RETURN NULL; END IF;
  END IF;
  INSERT INTO order_changed_times VALUES (new.placed_at);
  RETURN NULL;
END $$;
CREATE TRIGGER note_changed AFTER INSERT OR UPDATE OR DELETE ON orders FOR EACH ROW EXECUTE FUNCTION note_changed_order();
