-- Orders are found by the names and SKUs of their items.
CREATE INDEX order_items_by_text ON order_items USING gin (order_search_text(name, sku) gin_trgm_ops);
