import type { NewProduct, Product } from '@chowk/client';
import { plainAmount } from '../../format/amount.ts';
import { Field, Input, Select, TextArea } from '../../ui/field.tsx';
import { statusOptions } from './product-list.ts';

/** The texts of the form. */
export type ProductTexts = Readonly<Record<(typeof names)[number], string>>;
const names = ['title', 'sku', 'description', 'price', 'compare_at_price', 'status', 'categories', 'tags'] as const;

export const emptyTexts: ProductTexts = {
  title: '',
  sku: '',
  description: '',
  price: '',
  compare_at_price: '',
  status: 'active',
  categories: '',
  tags: '',
};

export function textsOf(product: Product): ProductTexts {
  const { title, sku, description, price, compare_at_price, status, categories, tags } = product;
  const texts = { title, sku, description, price, compare_at_price: compare_at_price ?? '', status };
  return { ...texts, categories: categories.join(', '), tags: tags.join(', ') };
}

/** What the platform takes, of the texts that differ from `base`. */
export function inputOf(values: Readonly<Record<string, string>>, base?: ProductTexts): NewProduct {
  const changed = names.filter((name) => base === undefined || sameLines(values[name]) !== sameLines(base[name]));
  return Object.fromEntries(changed.map((name) => [name, inputValue(name, values[name] ?? '')])) as NewProduct;
}

function inputValue(name: string, text: string): unknown {
  if (name === 'categories' || name === 'tags') {
    const parts = text.split(',').map((part) => part.trim());
    return [...new Set(parts.filter(Boolean))];
  }
  if (name === 'description') return sameLines(text);
  if (name === 'price') return plainAmount(text);
  if (name === 'compare_at_price') return plainAmount(text) || null;
  return text.trim();
}

/** A text area sends other line ends than it was given. */
function sameLines(text = ''): string {
  return text.replaceAll('\r\n', '\n');
}

interface ProductFieldsProps {
  readonly texts: ProductTexts;
  readonly errors: Readonly<Record<string, string>>;
  readonly hasFocus?: boolean;
}

export function ProductFields({ texts, errors, hasFocus = false }: ProductFieldsProps) {
  const errorOf = (name: string) =>
    errors[name] ?? Object.entries(errors).find(([one]) => one.startsWith(`${name}.`))?.[1];
  return (
    <>
      <Field label="Title" error={errors.title}>
        {(control) => (
          <Input {...control} name="title" maxLength={255} defaultValue={texts.title} autoFocus={hasFocus} />
        )}
      </Field>
      <Field label="Description" error={errors.description}>
        {(control) => <TextArea {...control} name="description" rows={4} defaultValue={texts.description} />}
      </Field>
      <div className="grid grid-cols-2 gap-4">
        <Field label="Price" error={errors.price}>
          {(control) => (
            <Input {...control} name="price" inputMode="decimal" defaultValue={texts.price} className="numeric" />
          )}
        </Field>
        <Field label="Compare-at price" error={errors.compare_at_price} help="Shown crossed out. Optional.">
          {(control) => (
            <Input
              {...control}
              name="compare_at_price"
              inputMode="decimal"
              defaultValue={texts.compare_at_price}
              className="numeric"
            />
          )}
        </Field>
        <Field label="SKU" error={errors.sku}>
          {(control) => <Input {...control} name="sku" maxLength={64} defaultValue={texts.sku} />}
        </Field>
        <Field label="Status" error={errors.status}>
          {(control) => (
            <Select {...control} name="status" defaultValue={texts.status}>
              {statusOptions.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <Field label="Categories" error={errorOf('categories')} help="Separate with commas.">
        {(control) => <Input {...control} name="categories" defaultValue={texts.categories} />}
      </Field>
      <Field label="Tags" error={errorOf('tags')} help="Separate with commas.">
        {(control) => <Input {...control} name="tags" defaultValue={texts.tags} />}
      </Field>
    </>
  );
}
