-- The changes of `accepts_marketing`. Customers from before this table have none.
CREATE TABLE customer_consents (
  id uuid PRIMARY KEY,
  customer_id uuid NOT NULL,
  accepts_marketing boolean NOT NULL,
  -- How it was changed: `update`, `creation`, `unsubscribe_link`, or the channel of the customer's message.
  source varchar(50) NOT NULL,
  -- The member or API client who changed it; NULL: the customer.
  user_id bigint,
  created_at timestamptz NOT NULL
);
CREATE INDEX customer_consents_by_customer ON customer_consents (customer_id, created_at DESC, id DESC);
