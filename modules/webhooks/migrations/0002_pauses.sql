-- Deliveries wait while the endpoint does not respond, so that they do not occupy the workers.
ALTER TABLE webhooks
  -- Requests in a row without a response.
  ADD COLUMN unanswered integer NOT NULL DEFAULT 0,
  ADD COLUMN paused_until timestamptz;
