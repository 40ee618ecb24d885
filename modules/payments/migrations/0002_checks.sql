-- When the provider was last asked about a link. Not a column of the link, whose followers need not know.
CREATE TABLE payment_link_checks (
  link_id uuid PRIMARY KEY REFERENCES payment_links ON DELETE CASCADE,
  checked_at timestamptz NOT NULL
);
CREATE INDEX payment_links_by_expiry ON payment_links (expires_at) WHERE status IN ('open', 'processing', 'expired');

-- Refunds that the provider has accepted and not made yet.
CREATE TABLE payment_refunds (
  -- That of the refund of the order.
  id uuid PRIMARY KEY,
  order_id uuid NOT NULL,
  order_number text NOT NULL,
  provider text NOT NULL,
  provider_refund_id text NOT NULL,
  created_at timestamptz NOT NULL,
  checked_at timestamptz NOT NULL
);
