-- `marketing` messages go only to customers who accept them.
ALTER TABLE notification_rules ADD COLUMN purpose text NOT NULL DEFAULT 'transactional';
ALTER TABLE messages ADD COLUMN purpose text NOT NULL DEFAULT 'transactional';
