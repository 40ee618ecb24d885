-- The customer of the order, so that exports, erasures and merges reach the link. NULL in earlier rows until a job has filled it.
ALTER TABLE payment_links ADD COLUMN customer_id uuid;
