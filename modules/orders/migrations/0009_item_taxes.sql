-- The class that decides the rates of an item, and the code of the goods, such as HSN.
ALTER TABLE order_items ADD COLUMN tax_class text NOT NULL DEFAULT 'standard', ADD COLUMN tax_code text;
