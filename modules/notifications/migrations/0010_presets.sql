-- The preset that a rule was made from; one rule for each.
ALTER TABLE notification_rules ADD COLUMN preset text;
CREATE UNIQUE INDEX notification_rules_preset ON notification_rules (preset);
