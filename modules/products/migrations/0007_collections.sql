CREATE TABLE collections (
  id uuid PRIMARY KEY,
  title text NOT NULL,
  slug text COLLATE "C" NOT NULL,
  description text NOT NULL DEFAULT '',
  -- Conditions on products; NULL: its products are chosen one by one.
  rule jsonb,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  title_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (fold(title)) STORED
);
CREATE UNIQUE INDEX collections_slug ON collections (slug);
SELECT stamp_changes('collections');

CREATE TABLE collection_products (
  collection_id uuid NOT NULL REFERENCES collections ON DELETE CASCADE,
  product_id uuid NOT NULL REFERENCES products,
  position integer NOT NULL,
  PRIMARY KEY (collection_id, product_id)
);
CREATE INDEX collection_products_by_product ON collection_products (product_id);
