-- The accounts of the tenant at payment providers.
CREATE TABLE payment_accounts (
  provider text PRIMARY KEY CHECK (provider IN ('stripe', 'razorpay')),
  -- Not secret: names the account.
  key_id text,
  -- Sealed.
  secret_key text NOT NULL,
  -- Sealed: verifies callbacks.
  webhook_secret text NOT NULL,
  -- Sealed: verifies the callbacks that are still under way, until it expires.
  previous_webhook_secret text,
  previous_webhook_secret_expires_at timestamptz,
  updated_at timestamptz NOT NULL
);

CREATE TABLE payment_links (
  id uuid PRIMARY KEY,
  order_id uuid NOT NULL,
  provider text NOT NULL CHECK (provider IN ('stripe', 'razorpay')),
  amount numeric NOT NULL CHECK (amount > 0),
  currency text NOT NULL,
  status text NOT NULL CHECK (status IN ('creating', 'open', 'processing', 'paid', 'expired', 'cancelled', 'failed')),
  -- NULL until the provider has created it.
  url text,
  provider_link_id text,
  expires_at timestamptz NOT NULL,
  paid_at timestamptz,
  -- Why the last attempt to create or to pay it failed.
  failure text,
  user_id bigint,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
-- An order has one link for an amount at a time.
CREATE UNIQUE INDEX payment_links_live ON payment_links (order_id, provider, currency, amount)
  WHERE status IN ('creating', 'open', 'processing');
CREATE UNIQUE INDEX payment_links_provider ON payment_links (provider, provider_link_id);
CREATE INDEX payment_links_by_order ON payment_links (order_id, created_at DESC, id DESC);
SELECT stamp_changes('payment_links');

-- What providers have reported, each event once. Without its content, which has personal data.
CREATE TABLE payment_events (
  provider text NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  link_id uuid REFERENCES payment_links ON DELETE SET NULL,
  -- What it has changed, or why nothing.
  result text NOT NULL,
  received_at timestamptz NOT NULL,
  PRIMARY KEY (provider, event_id)
);
CREATE INDEX payment_events_by_time ON payment_events (received_at);
