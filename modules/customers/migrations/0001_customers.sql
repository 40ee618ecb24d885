-- What a search looks through: no phone, which not everybody may look for. The line feeds keep a term from matching
-- across two fields. Chinese, Japanese and Korean names are written without a space, the family first or last.
CREATE FUNCTION customer_search_text(first_name text, last_name text, email text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN fold(concat_ws(E'\n', concat_ws(' ', first_name, last_name), email,
    CASE WHEN first_name ~ '^[⺀-鿿가-힣]' AND last_name ~ '^[⺀-鿿가-힣]' THEN concat(last_name, first_name, last_name) END));

-- A list of a million customers is cut into some hundred pieces, for each order in which it is shown, and how many are
-- in each piece is kept (customer_ranks): a page far down begins to read in its piece and not at the top. A rank grows
-- with what it is made of and, where many are equal, with the id that decides between them.
CREATE FUNCTION customer_id_rank(id uuid) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN ('x' || left(id::text, 5))::bit(17)::integer;
CREATE FUNCTION customer_day_rank(at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (at AT TIME ZONE 'UTC')::date - date '1970-01-01';
CREATE FUNCTION customer_name_rank(name_key text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN (('x' || rpad(left(encode(convert_to(left(name_key, 4), 'UTF8'), 'hex'), 8), 8, '0'))::bit(32)::bigint >> 1)::integer;
CREATE FUNCTION customer_orders_rank(total_orders integer, id uuid) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN total_orders < 16383 THEN (total_orders << 17) + customer_id_rank(id) ELSE 16383 << 17 END;
-- The fourth root, because amounts are the rarer the larger they are; of square roots every machine makes the same.
CREATE FUNCTION customer_spent_rank(total_spent numeric, id uuid) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN total_spent < 0 THEN -1 WHEN total_spent = 0 THEN customer_id_rank(id)
    ELSE (1 << 17) + floor(10 * sqrt(sqrt(total_spent::double precision)))::integer END;
CREATE FUNCTION customer_last_order_rank(at timestamptz, id uuid) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN at IS NULL THEN customer_id_rank(id) ELSE (1 << 17) + greatest(customer_day_rank(at), 0) END;

CREATE TABLE customers (
  id uuid PRIMARY KEY,
  external_ids jsonb NOT NULL DEFAULT '{}',
  -- By bytes, so that the index also finds what begins with something.
  email text COLLATE "C",
  phone text,
  first_name text,
  last_name text,
  accepts_marketing boolean NOT NULL DEFAULT false,
  total_orders integer NOT NULL DEFAULT 0,
  total_spent numeric(18, 2) NOT NULL DEFAULT 0,
  avg_order_value numeric(18, 2) NOT NULL DEFAULT 0,
  first_order_at timestamptz,
  last_order_at timestamptz,
  tags text[] NOT NULL DEFAULT '{}',
  notes text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  anonymized_at timestamptz,
  first_name_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (coalesce(fold(first_name), '')) STORED,
  search_text text NOT NULL GENERATED ALWAYS AS (customer_search_text(first_name, last_name, email)) STORED,
  phone_digits text GENERATED ALWAYS AS (regexp_replace(phone, '\D', '', 'g')) STORED,
  created_rank integer NOT NULL GENERATED ALWAYS AS (customer_day_rank(created_at)) STORED,
  name_rank integer NOT NULL GENERATED ALWAYS AS (customer_name_rank(coalesce(fold(first_name), ''))) STORED,
  orders_rank integer NOT NULL GENERATED ALWAYS AS (customer_orders_rank(total_orders, id)) STORED,
  spent_rank integer NOT NULL GENERATED ALWAYS AS (customer_spent_rank(total_spent, id)) STORED,
  last_order_rank integer NOT NULL GENERATED ALWAYS AS (customer_last_order_rank(last_order_at, id)) STORED
);
CREATE UNIQUE INDEX customers_email ON customers (email) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX customers_phone ON customers (phone) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_creation ON customers (created_rank, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_name ON customers (name_rank, first_name_key, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_orders ON customers (orders_rank, total_orders, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_spent ON customers (spent_rank, total_spent, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_last_order ON customers (last_order_rank, last_order_at, id) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_tag ON customers USING gin (tags) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_text ON customers USING gin (search_text gin_trgm_ops) WHERE deleted_at IS NULL;
CREATE INDEX customers_by_phone ON customers USING gin (phone_digits gin_trgm_ops) WHERE deleted_at IS NULL;

CREATE TABLE customer_addresses (
  id uuid PRIMARY KEY,
  customer_id uuid NOT NULL REFERENCES customers,
  type text NOT NULL CHECK (type IN ('billing', 'shipping')),
  is_default boolean NOT NULL DEFAULT false,
  first_name text,
  last_name text,
  company text,
  address1 text,
  address2 text,
  city text,
  state text,
  pincode text,
  country text,
  phone text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX customer_addresses_by_customer ON customer_addresses (customer_id, created_at);
CREATE UNIQUE INDEX customer_addresses_default ON customer_addresses (customer_id, type) WHERE is_default;

-- What other modules remember about a customer, each in its own scope.
CREATE TABLE customer_metadata (
  id uuid PRIMARY KEY,
  customer_id uuid NOT NULL REFERENCES customers,
  key text NOT NULL,
  value text NOT NULL,
  module_source text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT customer_metadata_key UNIQUE (customer_id, module_source, key)
);

-- Whom a merged customer became; the last in a chain of merges.
CREATE TABLE customer_merges (
  id uuid PRIMARY KEY,
  merged_into uuid NOT NULL,
  user_id bigint,
  merged_at timestamptz NOT NULL
);
CREATE INDEX customer_merges_by_customer ON customer_merges (merged_into);

-- Above which a customer counts as a VIP in the counts below; the tenant's settings decide, and whoever finds that they
-- have changed counts anew.
CREATE TABLE customer_vip_rule (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  order_threshold integer NOT NULL,
  -- As the setting has it: what was rounded would never be equal to it.
  spend_threshold numeric NOT NULL
);
INSERT INTO customer_vip_rule (order_threshold, spend_threshold) VALUES (10, 50000);

-- How many customers there are and in which segments, without counting them: the sum of all rows. Whoever changes
-- customers adds a row and waits for nobody; now and then somebody makes one row of them (fold_customer_counts).
CREATE TABLE customer_counts (
  total bigint NOT NULL,
  newcomers bigint NOT NULL,
  returners bigint NOT NULL,
  loyal bigint NOT NULL,
  vip bigint NOT NULL,
  marketing bigint NOT NULL,
  -- Those with an order; who of them is at risk depends on the day, and customer_ranks tells.
  ordered bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE customer_ranks (
  sort text COLLATE "C" NOT NULL,
  rank integer NOT NULL,
  customers integer NOT NULL,
  PRIMARY KEY (sort, rank)
  -- Room to change in place.
) WITH (fillfactor = 50);

-- What has changed since in customer_ranks.
CREATE TABLE customer_rank_changes (
  sort text COLLATE "C" NOT NULL,
  rank integer NOT NULL,
  change integer NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE FUNCTION fold_customer_counts() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- One at a time; who finds another at it goes on with its own work.
  IF NOT pg_try_advisory_xact_lock(hashtext('fold_customer_counts')) THEN RETURN; END IF;
  WITH gone AS (DELETE FROM customer_counts RETURNING *)
  INSERT INTO customer_counts (total, newcomers, returners, loyal, vip, marketing, ordered)
  SELECT sum(total), sum(newcomers), sum(returners), sum(loyal), sum(vip), sum(marketing), sum(ordered) FROM gone
  HAVING count(*) > 0;
  WITH gone AS (DELETE FROM customer_rank_changes RETURNING *)
  MERGE INTO customer_ranks AS kept USING (
    SELECT sort, rank, sum(change) AS change FROM gone GROUP BY sort, rank HAVING sum(change) <> 0) AS news
  ON kept.sort = news.sort AND kept.rank = news.rank
  WHEN MATCHED AND kept.customers + news.change = 0 THEN DELETE
  WHEN MATCHED THEN UPDATE SET customers = kept.customers + news.change
  WHEN NOT MATCHED THEN INSERT (sort, rank, customers) VALUES (news.sort, news.rank, news.change);
END $$;

-- Whenever some five hundred changes have come together: seldom enough that nobody notices, and after each import.
CREATE FUNCTION fold_customer_counts_sometimes(changes bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF random() < changes / 500.0 THEN PERFORM fold_customer_counts(); END IF;
END $$;

CREATE FUNCTION count_inserted_customers() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changes bigint;
BEGIN
  INSERT INTO customer_counts (total, newcomers, returners, loyal, vip, marketing, ordered)
  SELECT count(*), count(*) FILTER (WHERE total_orders = 0), count(*) FILTER (WHERE total_orders BETWEEN 1 AND 4),
    count(*) FILTER (WHERE total_orders >= 5),
    count(*) FILTER (WHERE total_orders >= order_threshold OR total_spent >= spend_threshold),
    count(*) FILTER (WHERE accepts_marketing), count(last_order_at)
  FROM inserted, customer_vip_rule WHERE deleted_at IS NULL HAVING count(*) > 0;
  INSERT INTO customer_rank_changes (sort, rank, change)
  SELECT sort, rank, count(*) FROM inserted, LATERAL (VALUES ('created_at', created_rank), ('first_name', name_rank),
    ('total_orders', orders_rank), ('total_spent', spent_rank), ('last_order_at', last_order_rank)) AS place (sort, rank)
  WHERE deleted_at IS NULL GROUP BY sort, rank;
  GET DIAGNOSTICS changes = ROW_COUNT;
  PERFORM fold_customer_counts_sometimes(changes);
  RETURN NULL;
END $$;
CREATE TRIGGER customers_inserted AFTER INSERT ON customers REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_customers();

CREATE FUNCTION count_removed_customers() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changes bigint;
BEGIN
  INSERT INTO customer_counts (total, newcomers, returners, loyal, vip, marketing, ordered)
  SELECT -count(*), -count(*) FILTER (WHERE total_orders = 0), -count(*) FILTER (WHERE total_orders BETWEEN 1 AND 4),
    -count(*) FILTER (WHERE total_orders >= 5),
    -count(*) FILTER (WHERE total_orders >= order_threshold OR total_spent >= spend_threshold),
    -count(*) FILTER (WHERE accepts_marketing), -count(last_order_at)
  FROM removed, customer_vip_rule WHERE deleted_at IS NULL HAVING count(*) > 0;
  INSERT INTO customer_rank_changes (sort, rank, change)
  SELECT sort, rank, -count(*) FROM removed, LATERAL (VALUES ('created_at', created_rank), ('first_name', name_rank),
    ('total_orders', orders_rank), ('total_spent', spent_rank), ('last_order_at', last_order_rank)) AS place (sort, rank)
  WHERE deleted_at IS NULL GROUP BY sort, rank;
  GET DIAGNOSTICS changes = ROW_COUNT;
  PERFORM fold_customer_counts_sometimes(changes);
  RETURN NULL;
END $$;
CREATE TRIGGER customers_removed AFTER DELETE ON customers REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_removed_customers();

-- Orders change one customer after the other, so this is the way that must be short.
CREATE FUNCTION move_customer(sort text, before integer, after integer, was integer, will integer)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF before <> after OR was <> will THEN
    INSERT INTO customer_rank_changes (sort, rank, change) VALUES (sort, before, -was), (sort, after, will);
  END IF;
END $$;

CREATE FUNCTION count_changed_customer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was integer := (old.deleted_at IS NULL)::integer;
  will integer := (new.deleted_at IS NULL)::integer;
  change customer_counts;
BEGIN
  SELECT will - was,
    will * (new.total_orders = 0)::integer - was * (old.total_orders = 0)::integer,
    will * (new.total_orders BETWEEN 1 AND 4)::integer - was * (old.total_orders BETWEEN 1 AND 4)::integer,
    will * (new.total_orders >= 5)::integer - was * (old.total_orders >= 5)::integer,
    will * (new.total_orders >= order_threshold OR new.total_spent >= spend_threshold)::integer
      - was * (old.total_orders >= order_threshold OR old.total_spent >= spend_threshold)::integer,
    will * new.accepts_marketing::integer - was * old.accepts_marketing::integer,
    will * (new.last_order_at IS NOT NULL)::integer - was * (old.last_order_at IS NOT NULL)::integer
  INTO change FROM customer_vip_rule;
  IF change <> (0, 0, 0, 0, 0, 0, 0)::customer_counts THEN
    INSERT INTO customer_counts SELECT change.*;
  END IF;
  PERFORM move_customer('created_at', old.created_rank, new.created_rank, was, will),
    move_customer('first_name', old.name_rank, new.name_rank, was, will),
    move_customer('total_orders', old.orders_rank, new.orders_rank, was, will),
    move_customer('total_spent', old.spent_rank, new.spent_rank, was, will),
    move_customer('last_order_at', old.last_order_rank, new.last_order_rank, was, will);
  -- As many as an order makes.
  PERFORM fold_customer_counts_sometimes(6);
  RETURN NULL;
END $$;
CREATE TRIGGER customers_changed AFTER UPDATE ON customers FOR EACH ROW
  WHEN ((old.deleted_at IS NULL, old.accepts_marketing, old.total_orders, old.total_spent, old.created_rank, old.name_rank,
      old.last_order_rank)
    IS DISTINCT FROM (new.deleted_at IS NULL, new.accepts_marketing, new.total_orders, new.total_spent, new.created_rank,
      new.name_rank, new.last_order_rank))
  EXECUTE FUNCTION count_changed_customer();

-- Counts the VIPs anew by another rule and keeps it. SHARE waits for those who have counted by the old rule and not
-- committed yet, and whoever comes later counts by the new one. Others wait behind it, so it gives up soon: where it
-- cannot be done now, somebody does it later.
CREATE FUNCTION keep_customer_vip_rule(orders integer, spend numeric) RETURNS void LANGUAGE plpgsql
SET lock_timeout = '1s' AS $$
BEGIN
  -- One at a time: the second finds that the rule is kept already.
  PERFORM FROM customer_vip_rule WHERE (order_threshold, spend_threshold) IS DISTINCT FROM (orders, spend) FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  LOCK TABLE customers IN SHARE MODE;
  UPDATE customer_vip_rule SET order_threshold = orders, spend_threshold = spend;
  INSERT INTO customer_counts (total, newcomers, returners, loyal, vip, marketing, ordered)
  SELECT 0, 0, 0, 0, counted - (SELECT coalesce(sum(vip), 0) FROM customer_counts), 0, 0
  FROM (SELECT count(*) AS counted FROM customers
    WHERE deleted_at IS NULL AND (total_orders >= orders OR total_spent >= spend)) AS anew;
EXCEPTION WHEN lock_not_available THEN RETURN;
END $$;

-- Where to begin to read for a page that begins after so many customers, the greatest first: at which rank, and how many
-- of that rank to pass over. Nothing if there are not that many.
CREATE FUNCTION customer_page_start(wanted text, skip bigint) RETURNS TABLE (rank integer, remaining bigint)
LANGUAGE sql STABLE AS $$
  SELECT rank, skip - (through - customers) FROM (
    SELECT rank, customers, (sum(customers) OVER (ORDER BY rank DESC))::bigint AS through FROM (
      SELECT rank, sum(customers) AS customers FROM (
        SELECT rank, customers FROM customer_ranks WHERE sort = wanted
        UNION ALL SELECT rank, change FROM customer_rank_changes WHERE sort = wanted) AS known
      GROUP BY rank) AS piece) AS pieces
  WHERE through > skip ORDER BY rank DESC LIMIT 1
$$;
