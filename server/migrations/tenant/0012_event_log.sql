-- Every public event, written in the transaction of the change. `position` is the order of the writes; `sequence` is the number
-- that readers see. It is given after the commit, without gaps, so that no event ever appears behind one that was read.
CREATE TABLE event_log (
  id uuid PRIMARY KEY,
  position bigint GENERATED ALWAYS AS IDENTITY,
  type text NOT NULL,
  resource_id text,
  payload jsonb NOT NULL,
  emitted_at timestamptz NOT NULL,
  -- The version of the module that emitted it.
  version text NOT NULL,
  sequence bigint
);
CREATE INDEX event_log_unnumbered ON event_log (position) WHERE sequence IS NULL;
CREATE UNIQUE INDEX event_log_by_sequence ON event_log (sequence) WHERE sequence IS NOT NULL;
CREATE INDEX event_log_by_type ON event_log (type, sequence) WHERE sequence IS NOT NULL;
CREATE INDEX event_log_by_resource ON event_log (resource_id, sequence) WHERE sequence IS NOT NULL;
CREATE INDEX event_log_by_time ON event_log USING brin (emitted_at);

-- One row, which is locked while events are numbered.
CREATE TABLE event_log_state (
  last_sequence bigint NOT NULL
);
INSERT INTO event_log_state VALUES (0);
