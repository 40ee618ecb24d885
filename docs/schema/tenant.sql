-- Made by 'npm run generate' from the migrations; do not edit.

CREATE TABLE chowk_installation (
  id uuid
);

CREATE TABLE conversation_messages (
  id uuid NOT NULL,
  conversation_id uuid NOT NULL,
  direction text NOT NULL,
  body text NOT NULL DEFAULT ''::text,
  user_id bigint,
  sent_at timestamp with time zone NOT NULL,
  CONSTRAINT conversation_messages_pkey PRIMARY KEY (id),
  CONSTRAINT conversation_messages_conversation_id_fkey FOREIGN KEY (conversation_id) REFERENCES conversations(id),
  CONSTRAINT conversation_messages_direction_check CHECK ((direction = ANY (ARRAY['inbound'::text, 'outbound'::text, 'note'::text])))
);
CREATE INDEX conversation_messages_by_conversation ON public.conversation_messages USING btree (conversation_id, sent_at DESC, id DESC);

CREATE TABLE conversations (
  id uuid NOT NULL,
  customer_id uuid NOT NULL,
  channel text NOT NULL,
  subject text NOT NULL DEFAULT ''::text,
  status text NOT NULL,
  assignee_id bigint,
  message_count integer NOT NULL DEFAULT 0,
  last_message_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  subject_key text NOT NULL DEFAULT fold(subject),
  CONSTRAINT conversations_pkey PRIMARY KEY (id),
  CONSTRAINT conversations_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'whatsapp'::text, 'webchat'::text, 'phone'::text, 'other'::text]))),
  CONSTRAINT conversations_status_check CHECK ((status = ANY (ARRAY['open'::text, 'pending'::text, 'closed'::text])))
);
CREATE INDEX conversations_by_assignee ON public.conversations USING btree (assignee_id, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_creation ON public.conversations USING btree (created_at DESC, id DESC);
CREATE INDEX conversations_by_customer ON public.conversations USING btree (customer_id, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_message ON public.conversations USING btree (last_message_at DESC, id DESC);
CREATE INDEX conversations_by_status ON public.conversations USING btree (status, last_message_at DESC, id DESC);
CREATE INDEX conversations_by_subject ON public.conversations USING gin (subject_key gin_trgm_ops);
CREATE INDEX conversations_by_update ON public.conversations USING btree (updated_at, id);
CREATE TRIGGER conversations_changed AFTER UPDATE OF status ON public.conversations FOR EACH ROW WHEN ((old.status <> new.status)) EXECUTE FUNCTION count_changed_conversation();
CREATE TRIGGER conversations_inserted AFTER INSERT ON public.conversations REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_conversations();
CREATE TRIGGER conversations_removed AFTER DELETE ON public.conversations REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed_conversations();

CREATE TABLE counters (
  name text NOT NULL,
  value bigint NOT NULL
);
CREATE INDEX counters_by_name ON public.counters USING btree (name) INCLUDE (value);

CREATE TABLE customer_addresses (
  id uuid NOT NULL,
  customer_id uuid NOT NULL,
  type text NOT NULL,
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
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT customer_addresses_pkey PRIMARY KEY (id),
  CONSTRAINT customer_addresses_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id),
  CONSTRAINT customer_addresses_type_check CHECK ((type = ANY (ARRAY['billing'::text, 'shipping'::text])))
);
CREATE INDEX customer_addresses_by_customer ON public.customer_addresses USING btree (customer_id, created_at);
CREATE UNIQUE INDEX customer_addresses_default ON public.customer_addresses USING btree (customer_id, type) WHERE is_default;

CREATE TABLE customer_merges (
  id uuid NOT NULL,
  merged_into uuid NOT NULL,
  user_id bigint,
  merged_at timestamp with time zone NOT NULL,
  CONSTRAINT customer_merges_pkey PRIMARY KEY (id)
);
CREATE INDEX customer_merges_by_customer ON public.customer_merges USING btree (merged_into);

CREATE TABLE customer_metadata (
  id uuid NOT NULL,
  customer_id uuid NOT NULL,
  key text NOT NULL,
  value text NOT NULL,
  module_source text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT customer_metadata_key UNIQUE (customer_id, module_source, key),
  CONSTRAINT customer_metadata_pkey PRIMARY KEY (id),
  CONSTRAINT customer_metadata_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id)
);

CREATE TABLE customer_vip_rule (
  id boolean NOT NULL DEFAULT true,
  order_threshold integer NOT NULL,
  spend_threshold numeric NOT NULL,
  CONSTRAINT customer_vip_rule_pkey PRIMARY KEY (id),
  CONSTRAINT customer_vip_rule_id_check CHECK (id)
);

CREATE TABLE customers (
  id uuid NOT NULL,
  external_ids jsonb NOT NULL DEFAULT '{}'::jsonb,
  email text,
  phone text,
  first_name text,
  last_name text,
  accepts_marketing boolean NOT NULL DEFAULT false,
  total_orders integer NOT NULL DEFAULT 0,
  total_spent numeric(18,2) NOT NULL DEFAULT 0,
  avg_order_value numeric(18,2) NOT NULL DEFAULT 0,
  first_order_at timestamp with time zone,
  last_order_at timestamp with time zone,
  tags text[] NOT NULL DEFAULT '{}'::text[],
  notes text,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  deleted_at timestamp with time zone,
  anonymized_at timestamp with time zone,
  first_name_key text NOT NULL DEFAULT COALESCE(fold(first_name), ''::text),
  search_text text NOT NULL DEFAULT customer_search_text(first_name, last_name, email),
  phone_digits text DEFAULT regexp_replace(phone, '\D'::text, ''::text, 'g'::text),
  CONSTRAINT customers_pkey PRIMARY KEY (id)
);
CREATE INDEX customers_by_creation ON public.customers USING btree (created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX customers_by_external_id ON public.customers USING gin (external_ids jsonb_path_ops) WHERE (deleted_at IS NULL);
CREATE INDEX customers_by_last_order ON public.customers USING btree (COALESCE(last_order_at, '-infinity'::timestamp with time zone), id) WHERE (deleted_at IS NULL);
CREATE INDEX customers_by_name ON public.customers USING btree (first_name_key, id) WHERE (deleted_at IS NULL);
CREATE INDEX customers_by_orders ON public.customers USING btree (total_orders, id) WHERE (deleted_at IS NULL);
CREATE INDEX customers_by_phone ON public.customers USING gin (phone_digits gin_trgm_ops) WHERE (deleted_at IS NULL);
CREATE INDEX customers_by_spent ON public.customers USING btree (total_spent, id) WHERE (deleted_at IS NULL);
CREATE INDEX customers_by_tag ON public.customers USING gin (tags) WHERE (deleted_at IS NULL);
CREATE INDEX customers_by_text ON public.customers USING gin (search_text gin_trgm_ops) WHERE (deleted_at IS NULL);
CREATE INDEX customers_by_update ON public.customers USING btree (updated_at, id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX customers_email ON public.customers USING btree (email) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX customers_phone ON public.customers USING btree (phone) WHERE (deleted_at IS NULL);
CREATE TRIGGER customers_changed AFTER UPDATE ON public.customers FOR EACH ROW WHEN (((((((old.deleted_at IS NULL) IS DISTINCT FROM (new.deleted_at IS NULL)) OR (old.accepts_marketing IS DISTINCT FROM new.accepts_marketing)) OR (old.total_orders IS DISTINCT FROM new.total_orders)) OR (old.total_spent IS DISTINCT FROM new.total_spent)) OR (old.last_order_at IS DISTINCT FROM new.last_order_at))) EXECUTE FUNCTION count_changed_customer();
CREATE TRIGGER customers_inserted AFTER INSERT ON public.customers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_customers();
CREATE TRIGGER customers_removed AFTER DELETE ON public.customers REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_customers();

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
  transport text NOT NULL,
  module text,
  user_id bigint,
  action text NOT NULL,
  resource text NOT NULL,
  resource_id text,
  outcome text NOT NULL,
  error_code text,
  request_id text NOT NULL,
  duration_ms double precision NOT NULL,
  input jsonb,
  changes jsonb,
  CONSTRAINT module_bus_audit_log_pkey PRIMARY KEY (id)
);
CREATE INDEX module_bus_audit_log_by_resource ON public.module_bus_audit_log USING btree (resource, resource_id, at DESC);
CREATE INDEX module_bus_audit_log_by_time ON public.module_bus_audit_log USING btree (at DESC, id DESC);
CREATE INDEX module_bus_audit_log_by_user ON public.module_bus_audit_log USING btree (user_id, at DESC);

CREATE TABLE order_history (
  id uuid NOT NULL,
  order_id uuid NOT NULL,
  status text NOT NULL,
  previous_status text,
  refunded numeric(12,2),
  reason text,
  user_id bigint,
  at timestamp with time zone NOT NULL,
  CONSTRAINT order_history_pkey PRIMARY KEY (id),
  CONSTRAINT order_history_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id)
);
CREATE INDEX order_history_by_order ON public.order_history USING btree (order_id, at, id);

CREATE TABLE order_items (
  id uuid NOT NULL,
  order_id uuid NOT NULL,
  "position" integer NOT NULL,
  name text NOT NULL,
  sku text,
  quantity integer NOT NULL,
  price numeric(12,2) NOT NULL,
  CONSTRAINT order_items_pkey PRIMARY KEY (id),
  CONSTRAINT order_items_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders(id),
  CONSTRAINT order_items_price_check CHECK ((price >= (0)::numeric)),
  CONSTRAINT order_items_quantity_check CHECK ((quantity > 0))
);
CREATE INDEX order_items_by_order ON public.order_items USING btree (order_id, "position");

CREATE TABLE order_numbers (
  id boolean NOT NULL DEFAULT true,
  last bigint NOT NULL,
  CONSTRAINT order_numbers_pkey PRIMARY KEY (id),
  CONSTRAINT order_numbers_id_check CHECK (id)
);

CREATE TABLE orders (
  id uuid NOT NULL,
  number bigint NOT NULL,
  order_number text NOT NULL,
  customer_id uuid NOT NULL,
  status text NOT NULL,
  currency text NOT NULL,
  total numeric(12,2) NOT NULL,
  refunded_total numeric(12,2) NOT NULL DEFAULT 0,
  shipping_address jsonb,
  note text,
  placed_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  deleted_at timestamp with time zone,
  search_text text NOT NULL DEFAULT order_search_text(order_number, note),
  CONSTRAINT orders_number UNIQUE (number),
  CONSTRAINT orders_pkey PRIMARY KEY (id),
  CONSTRAINT orders_check CHECK (((refunded_total >= (0)::numeric) AND (refunded_total <= total))),
  CONSTRAINT orders_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'confirmed'::text, 'processing'::text, 'shipped'::text, 'delivered'::text, 'cancelled'::text, 'failed'::text, 'refunded'::text]))),
  CONSTRAINT orders_total_check CHECK ((total >= (0)::numeric))
);
CREATE INDEX orders_by_customer ON public.orders USING btree (customer_id, placed_at DESC, id DESC) INCLUDE (status, total) WHERE (deleted_at IS NULL);
CREATE INDEX orders_by_status ON public.orders USING btree (status, placed_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX orders_by_text ON public.orders USING gin (search_text gin_trgm_ops) WHERE (deleted_at IS NULL);
CREATE INDEX orders_by_time ON public.orders USING btree (placed_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX orders_by_total ON public.orders USING btree (total, id) WHERE (deleted_at IS NULL);
CREATE INDEX orders_by_update ON public.orders USING btree (updated_at, id) WHERE (deleted_at IS NULL);
CREATE TRIGGER orders_changed AFTER UPDATE ON public.orders FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) OR ((old.deleted_at IS NULL) IS DISTINCT FROM (new.deleted_at IS NULL)))) EXECUTE FUNCTION count_changed_order();
CREATE TRIGGER orders_inserted AFTER INSERT ON public.orders REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_orders();
CREATE TRIGGER orders_removed AFTER DELETE ON public.orders REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed_orders();

CREATE TABLE outbox (
  seq bigint NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  about text,
  payload jsonb NOT NULL,
  emitted_at timestamp with time zone NOT NULL,
  CONSTRAINT outbox_pkey PRIMARY KEY (seq)
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
  title_key text NOT NULL DEFAULT fold(title),
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
CREATE INDEX products_by_update ON public.products USING btree (updated_at, id) WHERE (deleted_at IS NULL);
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
