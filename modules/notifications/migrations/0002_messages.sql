-- Messages to customers on their way to a provider, and the log of their deliveries.
CREATE TABLE messages (
  id uuid PRIMARY KEY,
  channel text NOT NULL CHECK (channel IN ('in_app', 'email', 'sms', 'whatsapp')),
  provider text NOT NULL,
  -- An address, a phone number, or the recipients in the team.
  recipient text,
  subject text,
  body text,
  status text NOT NULL CHECK (status IN ('queued', 'sent', 'failed', 'skipped')),
  -- Why it was skipped, or why the last attempt failed.
  reason text,
  -- The id that the provider gave it.
  provider_message_id text,
  customer_id uuid,
  rule_id uuid,
  -- The event that the rule was applied to; NULL for tests of a rule.
  event_id uuid,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz,
  sent_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
-- A rule is applied to an event once.
CREATE UNIQUE INDEX messages_once ON messages (rule_id, event_id);
CREATE INDEX messages_by_rule ON messages (rule_id, created_at DESC, id DESC);
CREATE INDEX messages_by_customer ON messages (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX messages_by_creation ON messages (created_at);

-- The accounts of the tenant at the providers.
CREATE TABLE message_providers (
  name text PRIMARY KEY CHECK (name IN ('twilio', 'webhook')),
  -- Without secrets.
  options jsonb NOT NULL,
  -- Sealed.
  secret text NOT NULL,
  -- Sealed; signs beside the new one until it expires.
  previous_secret text,
  previous_secret_expires_at timestamptz,
  updated_at timestamptz NOT NULL
);
