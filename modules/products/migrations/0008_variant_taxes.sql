-- The class that decides the tax rates of a variant, and the code of the goods, such as HSN.
ALTER TABLE product_variants ADD COLUMN tax_class text NOT NULL DEFAULT 'standard', ADD COLUMN tax_code text;
