-- Payments of orders and what was given back of them.
CREATE TABLE order_payments (
  id uuid PRIMARY KEY,
  order_id uuid NOT NULL REFERENCES orders,
  method text NOT NULL,
  amount numeric NOT NULL,
  excess numeric NOT NULL DEFAULT 0,
  reference text,
  status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed')),
  provider text,
  provider_payment_id text,
  paid_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX order_payments_provider ON order_payments (provider, provider_payment_id);
CREATE INDEX order_payments_by_order ON order_payments (order_id);
CREATE TABLE order_refunds (
  id uuid PRIMARY KEY,
  order_id uuid NOT NULL REFERENCES orders,
  payment_id uuid,
  amount numeric NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed')),
  provider_refund_id text,
  created_at timestamptz NOT NULL
);
CREATE INDEX order_refunds_by_order ON order_refunds (order_id);
