import { type NewProduct, type Product, type ProductChanges, productsLimits, type SentVariant } from '@chowk/client';
import type { Form } from '../../form/use-form.ts';
import { plainAmount } from '../../format/amount.ts';
import { Field, Input, Select, TextArea } from '../../ui/field.tsx';
import { statusOptions } from './product-list.ts';

/** The values of the form. */
export type ProductTexts = Readonly<Record<(typeof names)[number], string>>;
const names = [
  'title',
  'sku',
  'description',
  'price',
  'compare_at_price',
  'status',
  'categories',
  'tags',
  'slug',
] as const;

export const emptyTexts: ProductTexts = {
  title: '',
  sku: '',
  description: '',
  price: '',
  compare_at_price: '',
  status: 'active',
  categories: '',
  tags: '',
  slug: '',
};

export function readTexts(product: Product): ProductTexts {
  const { title, sku, description, price, compare_at_price, status, categories, tags, slug } = product;
  const texts = { title, sku, description, price, compare_at_price: compare_at_price ?? '', status, slug };
  return { ...texts, categories: categories.join(', '), tags: tags.join(', ') };
}

/** What the platform takes, of the texts that are shown and differ from `base`. An empty slug is derived from the title. */
export function toProductInput(values: ProductTexts, base?: ProductTexts): NewProduct {
  const sent = names.filter((name) => values[name] !== undefined && (name !== 'slug' || values.slug.trim() !== ''));
  const changed = sent.filter((name) => base === undefined || sameLines(values[name]) !== sameLines(base[name]));
  return Object.fromEntries(changed.map((name) => [name, inputValue(name, values[name])])) as NewProduct;
}

function inputValue(name: keyof ProductTexts, text: string): unknown {
  if (name === 'categories' || name === 'tags') {
    const parts = text.split(',').map((part) => part.trim());
    return [...new Set(parts.filter(Boolean))];
  }
  if (name === 'description') return sameLines(text);
  if (name === 'price') return plainAmount(text);
  if (name === 'compare_at_price') return plainAmount(text) || null;
  return text.trim();
}

/** With fields of the only variant, its SKU and prices are changed there too. */
export function withVariant<Input extends ProductChanges>(input: Input, variant: SentVariant): Input & ProductChanges {
  if (Object.keys(variant).every((name) => name === 'id')) return input;
  const { sku, price, compare_at_price, ...rest } = input;
  const own = Object.entries({ sku, price, compare_at_price }).filter(([, value]) => value !== undefined);
  return { ...(rest as Input), variants: [{ ...variant, ...Object.fromEntries(own) }] };
}

/** A text area sends other line ends than it was given. */
function sameLines(text = ''): string {
  return text.replaceAll('\r\n', '\n');
}

interface ProductFieldsProps {
  readonly texts: ProductTexts;
  readonly form: Pick<Form<ProductTexts, string>, 'errors'>;
  readonly hasFocus?: boolean;
  /** With variants, a new product has the SKU and the price of those without their own, and a saved one has none. */
  readonly variants?: 'new' | 'saved' | undefined;
}

export function ProductFields({ texts, form: { errors }, hasFocus = false, variants }: ProductFieldsProps) {
  // SKU and prices may be sent with the only variant.
  const field = (name: keyof ProductTexts) => ({ name, error: errors[name] ?? errors[`variants.0.${name}`] });
  // The platform reports an error of one of them as `tags.0`.
  const listField = (name: 'categories' | 'tags') => ({
    name,
    error: errors[name] ?? Object.entries(errors).find(([one]) => one.startsWith(`${name}.`))?.[1],
  });
  return (
    <>
      <Field label="Title" {...field('title')}>
        {(control) => (
          <Input {...control} maxLength={productsLimits.create.title} defaultValue={texts.title} autoFocus={hasFocus} />
        )}
      </Field>
      <Field label="Description" {...field('description')}>
        {(control) => <TextArea {...control} rows={4} defaultValue={texts.description} />}
      </Field>
      <div className="grid grid-cols-2 gap-4">
        {variants !== 'saved' && (
          <Field label="Price" {...field('price')} help={variants && 'For variants without their own.'}>
            {(control) => <Input {...control} inputMode="decimal" defaultValue={texts.price} className="numeric" />}
          </Field>
        )}
        {variants === undefined && (
          <Field label="Compare-at price" {...field('compare_at_price')} help="Shown crossed out. Optional.">
            {(control) => (
              <Input {...control} inputMode="decimal" defaultValue={texts.compare_at_price} className="numeric" />
            )}
          </Field>
        )}
        {variants !== 'saved' && (
          <Field label="SKU" {...field('sku')} help={variants && 'With a number for further variants.'}>
            {(control) => <Input {...control} maxLength={productsLimits.create.sku} defaultValue={texts.sku} />}
          </Field>
        )}
        <Field label="Status" {...field('status')}>
          {(control) => (
            <Select {...control} defaultValue={texts.status}>
              {statusOptions.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <Field label="Categories" {...listField('categories')} help="Separate with commas.">
        {(control) => <Input {...control} defaultValue={texts.categories} />}
      </Field>
      <Field label="Tags" {...listField('tags')} help="Separate with commas.">
        {(control) => <Input {...control} defaultValue={texts.tags} />}
      </Field>
    </>
  );
}
