-- Counts that are kept instead of counted: of each name the sum of all rows. A change adds a row and waits for nobody;
-- now and then the rows of a name are folded into one.
CREATE TABLE counters (
  name text COLLATE "C" NOT NULL,
  value bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX counters_by_name ON counters (name) INCLUDE (value);

CREATE FUNCTION fold_counters() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- One at a time; whoever finds another at it goes on with its own work.
  IF NOT pg_try_advisory_xact_lock(hashtext('fold_counters')) THEN RETURN; END IF;
  WITH split AS (SELECT name FROM counters GROUP BY name HAVING count(*) > 1),
  gone AS (DELETE FROM counters c USING split WHERE c.name = split.name RETURNING c.*)
  INSERT INTO counters (name, value) SELECT name, sum(value) FROM gone GROUP BY name HAVING sum(value) <> 0;
END $$;

-- For triggers, after they have added so many rows: folds once for some two hundred of them.
CREATE FUNCTION fold_counters_sometimes(added bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF random() < added / 200.0 THEN PERFORM fold_counters(); END IF;
END $$;
