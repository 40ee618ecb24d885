import { extend, NullableLine, Type } from '@chowk/kit';
import { NewProduct, type Product, ProductRecord } from './schemas.ts';
import { shopifyProducts } from './shopify-products.ts';
import { maxOptions, type Variant, VariantFields } from './variant-schemas.ts';

/* A CSV file has a row for each variant. Rows of one product have the same slug. */

export const optionNumbers = Array.from({ length: maxOptions }, (_, index) => index + 1);

const optionFields = Object.fromEntries(
  optionNumbers.flatMap((number) => [
    [`option${number}_name`, NullableLine(50)],
    [`option${number}_value`, NullableLine(100)],
  ]),
);
const { barcode, weight_grams, continue_selling, taxable, tax_class, tax_code } = VariantFields.properties;
const variantFields = { barcode, weight_grams, continue_selling, taxable, tax_class, tax_code };

const { options: _, metadata: __, external_ids: ___, ...imported } = NewProduct.properties;
const hidden = ['options', 'metadata', 'external_ids', 'price_max', 'variant_count'];
const recordFields = Object.keys(ProductRecord.properties).filter((name) => !hidden.includes(name));

export const csvFields = [...recordFields, ...Object.keys(optionFields), ...Object.keys(variantFields)];

/** The rows of a product in a CSV file. */
export function csvRows(product: Product): object[] {
  return product.variants.map((variant) => ({ ...product, ...variantCells(product, variant) }));
}

function variantCells({ options }: Product, variant: Variant): object {
  const { sku, price, compare_at_price, stock, reserved, available, barcode, weight_grams } = variant;
  const { continue_selling, taxable, tax_class, tax_code } = variant;
  const optionCells = options.flatMap(({ name }, index) => [
    [`option${index + 1}_name`, name],
    [`option${index + 1}_value`, variant.options[name]],
  ]);
  const own = { sku, price, compare_at_price, stock, reserved, available, barcode, weight_grams };
  return { ...own, continue_selling, taxable, tax_class, tax_code, ...Object.fromEntries(optionCells) };
}

/** CSV cells that are not simply the text of a field. */
export const csvCells = {
  categories: ({ categories }: Product) => categories.join('|'),
  /** A line for each image: URL, space, description. */
  images: ({ images }: Product) => images.map(({ url, alt }) => `${url} ${alt}`.trimEnd()).join('\n'),
};

export const csvFormat = {
  foreign: [shopifyProducts],
  columns: Type.Object(Object.fromEntries(csvFields.map((name) => [name, Type.Unknown()]))),
  fields: extend(Type.Object(imported), { ...optionFields, ...variantFields }),
  key: 'sku',
  cells: {
    description: (cell: string) => cell,
    status: (cell: string) => cell.trim().toLowerCase() || undefined,
    weight_grams: (cell: string) => (/^\d{1,9}$/.test(cell.trim()) ? Number(cell) : cell.trim() || null),
    categories: (cell: string) => splitCell(cell, '|'),
    images: (cell: string) =>
      splitCell(cell, '\n').map((line) => {
        const [url = '', ...alt] = line.split(' ');
        return { url, alt: alt.join(' ') };
      }),
  },
};

function splitCell(cell: string, separator: string): string[] {
  const parts = cell.split(separator).map((part) => part.trim());
  return parts.filter(Boolean);
}
