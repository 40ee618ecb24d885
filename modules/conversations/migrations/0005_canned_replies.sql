CREATE TABLE canned_replies (
  id uuid PRIMARY KEY,
  title text NOT NULL,
  body text NOT NULL,
  is_shared boolean NOT NULL,
  -- Who wrote it. Only this user sees one that is not shared.
  user_id bigint,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
