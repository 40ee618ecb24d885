-- Outside a transaction.
CREATE INDEX CONCURRENTLY payment_links_by_customer ON payment_links (customer_id);
