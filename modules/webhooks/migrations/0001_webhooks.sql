CREATE TABLE webhooks (
  id uuid PRIMARY KEY,
  url text NOT NULL,
  -- Names of events and patterns such as `order.*`.
  events text[] NOT NULL,
  description text,
  is_active boolean NOT NULL,
  -- When the platform disabled it because deliveries failed.
  disabled_at timestamptz,
  -- To the minute.
  last_delivered_at timestamptz,
  -- Sealed.
  secret text NOT NULL,
  -- Sealed; signs beside the new one until it expires.
  previous_secret text,
  previous_secret_expires_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX webhooks_by_creation ON webhooks (created_at DESC, id DESC);
CREATE INDEX webhooks_by_update ON webhooks (updated_at, id);

CREATE TABLE webhook_deliveries (
  id uuid PRIMARY KEY,
  webhook_id uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  event_id uuid NOT NULL,
  event text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  -- The body, until it is delivered.
  payload text,
  -- The job of the next attempt; jobs with another id are obsolete.
  task_id uuid NOT NULL,
  -- Since the event or the last redelivery.
  attempts integer NOT NULL DEFAULT 0,
  started_at timestamptz NOT NULL,
  next_attempt_at timestamptz,
  response_status integer,
  response_body text,
  duration_ms integer,
  error text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
-- An event that is received twice is delivered once.
CREATE UNIQUE INDEX webhook_deliveries_once ON webhook_deliveries (webhook_id, event_id);
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_by_creation ON webhook_deliveries (created_at);
