import { distinct, type FieldErrors, toMoney } from '@chowk/kit';
import type { NewProduct, Product, ProductChanges } from './schemas.ts';

/** What a merchant decides about a product, in the form in which it is kept. */
export type Fields = Pick<Product, keyof NewProduct>;

type Input = Required<ProductChanges>;
/** What is kept of an input, or `undefined` if nothing can be. */
type Readers = { readonly [Name in keyof Input]?: (value: Input[Name]) => Fields[Name] | undefined };

const readers: Readers = {
  sku: (text) => text.trim() || undefined,
  title: (text) => text.trim() || undefined,
  price: toMoney,
  compare_at_price: (amount) => (amount === null ? null : toMoney(amount)),
  images: (images) => images.map(({ url, alt }) => ({ url, alt: alt.trim() })),
  tags: distinct,
  categories: distinct,
};

const complaints: Readonly<Record<string, string>> = {
  sku: 'The sku must not be empty.',
  title: 'The title must not be empty.',
  price: 'The price must be an amount from 0 to 9999999999.99 with at most two decimals.',
  compare_at_price: 'The compare at price must be an amount from 0 to 9999999999.99 with at most two decimals.',
};

/** A product with changes applied that its schema accepts, and what is wrong that no schema can say. */
export function applyChanges(
  current: Partial<Fields>,
  changes: ProductChanges,
): { fields: Fields; errors: FieldErrors | undefined } {
  const errors: FieldErrors = {};
  const fields: Record<string, unknown> = { ...current };
  for (const [name, value] of Object.entries(changes)) {
    const read = readers[name as keyof Fields] as ((value: unknown) => unknown) | undefined;
    fields[name] = read ? read(value) : value;
    if (fields[name] === undefined) errors[name] = [complaints[name] ?? 'This is not valid.'];
  }
  const { price, compare_at_price: before } = fields as Partial<Fields>;
  if (price !== undefined && before != null && Number(before) < Number(price)) {
    errors.compare_at_price = ['The compare at price must be at least the price.'];
  }
  return { fields: fields as Fields, errors: Object.keys(errors).length > 0 ? errors : undefined };
}
