-- With their triggers.
DROP FUNCTION count_inserted_conversations(), count_removed_conversations(), count_changed_conversation() CASCADE;

SELECT maintain_counters('conversations', $$ SELECT 'conversations.' || r.status $$, changed => 'old.status <> new.status');
