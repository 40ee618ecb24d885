-- Notifications that are sent as one: the latest of each group, and how many wait.
CREATE TABLE notification_groups (
  id uuid PRIMARY KEY,
  module varchar(50) NOT NULL,
  group_key varchar(100) NOT NULL,
  -- "members", or a list of users.
  recipients jsonb NOT NULL,
  -- `console`: stored and broadcast. `alerts`: push messages and mails.
  lane text NOT NULL CHECK (lane IN ('console', 'alerts')),
  -- Without personal data: the customer is an id.
  message json NOT NULL,
  waiting integer NOT NULL,
  -- When those that wait are sent, and the addition that has queued the job.
  due_at timestamptz NOT NULL,
  queued_by uuid NOT NULL,
  sent_at timestamptz,
  UNIQUE (module, group_key, recipients, lane)
);
