CREATE TABLE notification_rules (
  id uuid PRIMARY KEY,
  name text,
  event text NOT NULL,
  -- `[{ "field", "operator", "value" }]`
  conditions jsonb NOT NULL,
  channel text NOT NULL CHECK (channel IN ('in_app', 'email', 'sms', 'whatsapp')),
  subject text,
  body text NOT NULL,
  -- Both NULL: the customer.
  recipient_user_id bigint,
  recipient_role text,
  is_active boolean NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX notification_rules_by_event ON notification_rules (event) WHERE is_active;
CREATE INDEX notification_rules_by_creation ON notification_rules (created_at DESC, id DESC);

ALTER TABLE messages ADD FOREIGN KEY (rule_id) REFERENCES notification_rules ON DELETE CASCADE;
