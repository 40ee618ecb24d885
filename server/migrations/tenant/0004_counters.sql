-- Maintained counts: a count is the sum of the rows with its name. A change inserts a row, so that writers never wait for
-- each other. From time to time the rows of each name are combined into one.
CREATE TABLE counters (
  name text COLLATE "C" NOT NULL,
  value bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX counters_by_name ON counters (name) INCLUDE (value);

CREATE FUNCTION compact_counters() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- Skipped while another transaction does the same.
  IF NOT pg_try_advisory_xact_lock(hashtext('compact_counters')) THEN RETURN; END IF;
  WITH split AS (SELECT name FROM counters GROUP BY name HAVING count(*) > 1),
  gone AS (DELETE FROM counters c USING split WHERE c.name = split.name RETURNING c.*)
  INSERT INTO counters (name, value) SELECT name, sum(value) FROM gone GROUP BY name HAVING sum(value) <> 0;
END $$;

-- Called by triggers with the number of rows that they have added: compacts about once per 200 rows.
CREATE FUNCTION maybe_compact_counters(added bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF random() < added / 200.0 THEN PERFORM compact_counters(); END IF;
END $$;
