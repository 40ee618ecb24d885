-- Outside a transaction.
CREATE INDEX CONCURRENTLY payment_links_without_customer ON payment_links (order_id) WHERE customer_id IS NULL AND url IS NOT NULL;
