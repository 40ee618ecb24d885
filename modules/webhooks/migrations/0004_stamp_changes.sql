-- Followers of the lists miss no change.
SELECT stamp_changes('webhooks');
SELECT stamp_changes('webhook_deliveries');
