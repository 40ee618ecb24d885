-- Followers of the lists miss no change.
SELECT stamp_changes('conversations');
SELECT stamp_changes('conversation_messages', 'sent_at');
