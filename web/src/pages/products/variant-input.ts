import type { NewVariant, ProductOption, ProductVariant, SentVariant } from '@chowk/client';
import { plainAmount } from '../../format/amount.ts';
import {
  type FlagColumn,
  standardTaxClass,
  type TextColumn,
  textColumns,
  type VariantDraft,
  type VariantRow,
} from './variant-draft.ts';

const columns: readonly (TextColumn | FlagColumn | 'image_id')[] = [
  ...textColumns,
  'image_id',
  'continue_selling',
  'taxable',
];

/** What the platform takes: all cells of new variants that are not empty, and of saved ones the cells that differ from `base`. */
export function toVariantInput(draft: VariantDraft, base?: VariantDraft) {
  const options = draft.options.filter(({ name, values }) => name.trim() !== '' || values.length > 0);
  const saved = new Map(base?.rows.map((row) => [row.key, row]));
  return {
    options: options.map(({ name, values }): ProductOption => ({ name: name.trim(), values })),
    variants: draft.rows.map((row): SentVariant & NewVariant => {
      const known = saved.get(row.key);
      const sent = columns.filter((column) => (known ? row[column] !== known[column] : row[column] !== ''));
      const values = options.flatMap(({ key, name }) => (row.values[key] ? [[name.trim(), row.values[key]]] : []));
      return {
        ...(known && { id: known.key }),
        options: Object.fromEntries(values),
        ...Object.fromEntries(sent.map((column) => [column, inputValue(row, column)])),
      };
    }),
  };
}

function inputValue(row: VariantRow, column: (typeof columns)[number]): unknown {
  const value = row[column];
  if (typeof value !== 'string' || column === 'image_id') return value;
  const text = value.trim();
  if (column === 'price') return plainAmount(text);
  if (column === 'compare_at_price') return plainAmount(text) || null;
  if (column === 'barcode' || column === 'tax_code') return text || null;
  if (column === 'tax_class') return text || standardTaxClass;
  if (column === 'weight_grams' && text === '') return null;
  // What is no number is reported by the platform.
  if (column === 'stock' || column === 'weight_grams') return /^\d+$/.test(text) ? Number(text) : text;
  return text;
}

/** The saved variants that the draft no longer has. */
export function removedVariants(
  variants: readonly ProductVariant[],
  { rows }: VariantDraft,
): readonly ProductVariant[] {
  const kept = new Set(rows.map(({ key }) => key));
  return variants.filter(({ id }) => !kept.has(id));
}
