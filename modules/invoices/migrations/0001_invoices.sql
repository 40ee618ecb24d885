-- The last number of each kind, updated in the transaction of the invoice, so that there are no gaps.
CREATE TABLE invoice_numbers (
  kind text PRIMARY KEY CHECK (kind IN ('invoice', 'credit_note')),
  last bigint NOT NULL
);
INSERT INTO invoice_numbers (kind, last) VALUES ('invoice', 0), ('credit_note', 0);

-- Uploaded logos. They are never deleted: issued invoices show the logo of their time.
CREATE TABLE invoice_logos (
  -- The id of the file.
  id uuid PRIMARY KEY,
  width integer NOT NULL,
  height integer NOT NULL,
  is_current boolean NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX invoice_logos_current ON invoice_logos (is_current) WHERE is_current;

-- Everything that an invoice or a credit note prints. Only `customer_id` changes, when customers are merged.
CREATE TABLE invoices (
  id uuid PRIMARY KEY,
  kind text NOT NULL REFERENCES invoice_numbers,
  number bigint NOT NULL,
  -- The number with the prefix of the time of issue. Unique, because a prefix never ends with a digit.
  invoice_number text NOT NULL,
  order_id uuid NOT NULL,
  order_number text NOT NULL,
  customer_id uuid NOT NULL,
  -- Of a credit note: the invoice that it corrects.
  corrects_id uuid REFERENCES invoices ON DELETE CASCADE,
  currency text NOT NULL,
  total numeric NOT NULL CHECK (total >= 0),
  seller jsonb NOT NULL,
  buyer jsonb NOT NULL,
  ship_to jsonb,
  content jsonb NOT NULL,
  user_id bigint,
  issued_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT invoices_number UNIQUE (kind, number)
);
CREATE UNIQUE INDEX invoices_one_for_an_order ON invoices (order_id) WHERE kind = 'invoice';
CREATE INDEX invoices_by_order ON invoices (order_id);
CREATE INDEX invoices_by_customer ON invoices (customer_id);
CREATE INDEX invoices_by_corrected ON invoices (corrects_id) WHERE corrects_id IS NOT NULL;
CREATE INDEX invoices_by_number ON invoices (number, id);
CREATE INDEX invoices_by_time ON invoices (issued_at DESC, id DESC);
CREATE INDEX invoices_by_update ON invoices (updated_at, id);
SELECT stamp_changes('invoices');
