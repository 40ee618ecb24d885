-- Made by 'npm run generate' from the migrations; do not edit.

CREATE TABLE chowk_installation (
  id uuid
);

CREATE TABLE idempotency_keys (
  caller text NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  status integer,
  content_type text,
  body text,
  locked_until timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_keys_by_expiry ON public.idempotency_keys USING btree (expires_at);

CREATE TABLE module_bus_audit_log (
  id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  caller text NOT NULL,
  operation text NOT NULL,
  kind text NOT NULL,
  user_id bigint,
  request_id text NOT NULL,
  duration_ms double precision NOT NULL,
  outcome text NOT NULL,
  error_code text,
  input jsonb,
  CONSTRAINT module_bus_audit_log_pkey PRIMARY KEY (id)
);
CREATE INDEX module_bus_audit_log_by_time ON public.module_bus_audit_log USING btree (at DESC, id DESC);

CREATE TABLE outbox (
  seq bigint NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  about text,
  payload jsonb NOT NULL,
  emitted_at timestamp with time zone NOT NULL,
  CONSTRAINT outbox_pkey PRIMARY KEY (seq)
);

CREATE TABLE product_counts (
  shard integer NOT NULL,
  total bigint NOT NULL,
  CONSTRAINT product_counts_pkey PRIMARY KEY (shard)
);

CREATE TABLE products (
  id uuid NOT NULL,
  sku text NOT NULL,
  title text NOT NULL,
  description text NOT NULL DEFAULT ''::text,
  price numeric(12,2) NOT NULL,
  compare_at_price numeric(12,2),
  status text NOT NULL,
  images jsonb NOT NULL DEFAULT '[]'::jsonb,
  tags text[] NOT NULL DEFAULT '{}'::text[],
  categories text[] NOT NULL DEFAULT '{}'::text[],
  mandatory boolean NOT NULL DEFAULT false,
  stock integer NOT NULL DEFAULT 0,
  reserved integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  deleted_at timestamp with time zone,
  sku_key text NOT NULL DEFAULT lower(sku),
  title_key text NOT NULL DEFAULT product_fold(title),
  search_text text NOT NULL DEFAULT product_search_text(sku, title, tags, categories),
  CONSTRAINT products_pkey PRIMARY KEY (id),
  CONSTRAINT products_check CHECK ((compare_at_price >= price)),
  CONSTRAINT products_price_check CHECK ((price >= (0)::numeric)),
  CONSTRAINT products_reserved_check CHECK ((reserved >= 0)),
  CONSTRAINT products_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'archived'::text]))),
  CONSTRAINT products_stock_covers_reserved CHECK ((stock >= reserved))
);
CREATE INDEX products_by_category ON public.products USING gin (categories) WHERE (deleted_at IS NULL);
CREATE INDEX products_by_creation ON public.products USING btree (created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX products_by_price ON public.products USING btree (price, id) WHERE (deleted_at IS NULL);
CREATE INDEX products_by_tag ON public.products USING gin (tags) WHERE (deleted_at IS NULL);
CREATE INDEX products_by_text ON public.products USING gin (search_text gin_trgm_ops) WHERE (deleted_at IS NULL);
CREATE INDEX products_by_title ON public.products USING btree (title_key, id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX products_sku ON public.products USING btree (sku_key) WHERE (deleted_at IS NULL);
CREATE TRIGGER products_hidden AFTER UPDATE OF deleted_at ON public.products FOR EACH ROW WHEN (((old.deleted_at IS NULL) <> (new.deleted_at IS NULL))) EXECUTE FUNCTION count_hidden_product();
CREATE TRIGGER products_inserted AFTER INSERT ON public.products REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_products();
CREATE TRIGGER products_removed AFTER DELETE ON public.products REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed_products();

CREATE TABLE schema_migrations (
  owner text NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (owner, name)
);

CREATE TABLE stock_movements (
  id uuid NOT NULL,
  product_id uuid NOT NULL,
  change integer NOT NULL,
  reserved_change integer NOT NULL,
  reason text NOT NULL,
  reference text,
  user_id bigint,
  at timestamp with time zone NOT NULL,
  CONSTRAINT stock_movements_pkey PRIMARY KEY (id),
  CONSTRAINT stock_movements_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id)
);
CREATE INDEX stock_movements_by_product ON public.stock_movements USING btree (product_id, at DESC, id DESC);

CREATE TABLE stock_reservations (
  id uuid NOT NULL,
  product_id uuid NOT NULL,
  quantity integer NOT NULL,
  reference text,
  user_id bigint,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT stock_reservations_pkey PRIMARY KEY (id),
  CONSTRAINT stock_reservations_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id),
  CONSTRAINT stock_reservations_quantity_check CHECK ((quantity > 0))
);
CREATE INDEX stock_reservations_by_expiry ON public.stock_reservations USING btree (expires_at);
CREATE INDEX stock_reservations_by_product ON public.stock_reservations USING btree (product_id, reference);
