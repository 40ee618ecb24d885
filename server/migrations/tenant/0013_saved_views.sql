-- Sets of filters that members keep for a list.
CREATE TABLE saved_views (
  id uuid PRIMARY KEY,
  -- The action that lists: `orders.list`.
  list text NOT NULL,
  name text NOT NULL,
  filters jsonb NOT NULL,
  is_shared boolean NOT NULL,
  -- Who saved it. Only this user sees one that is not shared.
  user_id bigint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX saved_views_by_name ON saved_views (list, user_id, fold(name));
