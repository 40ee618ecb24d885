-- The messages to customers of a day (UTC) that count against the tenant's limit.
CREATE TABLE message_quota (
  day date PRIMARY KEY,
  count integer NOT NULL
);
