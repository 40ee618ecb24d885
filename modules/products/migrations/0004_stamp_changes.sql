-- Followers of the lists miss no change.
SELECT stamp_changes('products');
SELECT stamp_changes('stock_movements', 'at');
