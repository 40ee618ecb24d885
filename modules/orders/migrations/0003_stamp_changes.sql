-- Followers of the lists miss no change.
SELECT stamp_changes('orders');
