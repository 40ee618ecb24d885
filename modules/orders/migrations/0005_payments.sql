-- How the customer chose to pay, such as `cash_on_delivery`.
ALTER TABLE orders ADD COLUMN payment_method text;

-- The succeeded payments of an order, less `excess`, add up to its `paid_total`. Orders of an older server have none.
CREATE TABLE order_payments (
  id uuid PRIMARY KEY,
  order_id uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  method text NOT NULL,
  amount numeric NOT NULL CHECK (amount > 0 AND scale(amount) <= 3),
  -- What is more than the order costs.
  excess numeric NOT NULL DEFAULT 0 CHECK (excess BETWEEN 0 AND amount),
  reference text,
  status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed')),
  -- The service that took the payment, and its id there. NULL: recorded by a user.
  provider text,
  provider_payment_id text,
  paid_at timestamptz,
  user_id bigint,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT order_payments_unique UNIQUE (provider, provider_payment_id)
);
CREATE INDEX order_payments_by_order ON order_payments (order_id, created_at, id);

-- The refunds of an order that did not fail, less `excess`, add up to its `refunded_total`. Those of an older server have no row.
CREATE TABLE order_refunds (
  id uuid PRIMARY KEY,
  order_id uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  -- A row of `order_payments` of the same order. NULL: the order was paid before payments were recorded.
  payment_id uuid,
  amount numeric NOT NULL CHECK (amount > 0 AND scale(amount) <= 3),
  -- How much of it is from the excess of the payment.
  excess numeric NOT NULL DEFAULT 0 CHECK (excess BETWEEN 0 AND amount),
  reason text,
  -- `[{"item_id": …, "quantity": …}]`
  items jsonb NOT NULL DEFAULT '[]',
  restocked boolean NOT NULL DEFAULT false,
  status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed')),
  provider_refund_id text,
  user_id bigint,
  created_at timestamptz NOT NULL
);
CREATE INDEX order_refunds_by_order ON order_refunds (order_id, created_at, id);
CREATE INDEX order_refunds_by_payment ON order_refunds (payment_id);

-- Nobody recorded the payments of existing orders: those that were shipped or refunded count as paid, the others as far as they were refunded.
UPDATE orders SET paid_total = CASE WHEN status IN ('shipped', 'delivered', 'refunded') THEN total ELSE refunded_total END
WHERE paid_total = 0 AND (refunded_total > 0 OR (total > 0 AND status IN ('shipped', 'delivered', 'refunded')));
