import { type Product, type ProductVariant, productsLimits } from '@chowk/client';

/* The options and variants of a product while they are edited. Cells have texts, as they were typed. */

const maxVariants = productsLimits.create.variants;
export const maxOptions = productsLimits.create.options;

export const textColumns = [
  'sku',
  'price',
  'compare_at_price',
  'stock',
  'barcode',
  'weight_grams',
  'tax_class',
  'tax_code',
] as const;
/** That of variants without another one. */
export const standardTaxClass = 'standard';

export type TextColumn = (typeof textColumns)[number];
export type FlagColumn = 'continue_selling' | 'taxable';

export interface OptionDraft {
  readonly key: string;
  readonly name: string;
  readonly values: readonly string[];
}

export interface VariantRow extends Readonly<Record<TextColumn, string>>, Readonly<Record<FlagColumn, boolean>> {
  /** The id of a saved variant, or a number. */
  readonly key: string;
  /** By the key of the option. */
  readonly values: Readonly<Record<string, string>>;
  readonly image_id: string | null;
}

export interface VariantDraft {
  readonly options: readonly OptionDraft[];
  readonly rows: readonly VariantRow[];
}

const emptyRow: VariantRow = {
  key: '0',
  values: {},
  sku: '',
  price: '',
  compare_at_price: '',
  stock: '',
  barcode: '',
  weight_grams: '',
  tax_class: '',
  tax_code: '',
  image_id: null,
  continue_selling: false,
  taxable: true,
};

export const emptyVariants: VariantDraft = { options: [], rows: [emptyRow] };

export function readVariants({ options, variants }: Pick<Product, 'options' | 'variants'>): VariantDraft {
  const drafts = options.map(({ name, values = [] }, index) => ({ key: String(index), name, values }));
  return { options: drafts, rows: variants.map((variant) => readRow(variant, drafts)) };
}

function readRow(variant: ProductVariant, options: readonly OptionDraft[]): VariantRow {
  const { id, sku, price, compare_at_price, stock, barcode, weight_grams } = variant;
  const { image_id, continue_selling, taxable, tax_class, tax_code } = variant;
  return {
    key: id,
    values: Object.fromEntries(options.map(({ key, name }) => [key, variant.options[name] ?? ''])),
    sku,
    price,
    compare_at_price: compare_at_price ?? '',
    stock: String(stock),
    barcode: barcode ?? '',
    weight_grams: weight_grams === null ? '' : String(weight_grams),
    tax_class: tax_class === standardTaxClass ? '' : tax_class,
    tax_code: tax_code ?? '',
    image_id,
    continue_selling,
    taxable,
  };
}

/** The values of a variant, as its title has them. */
export function rowTitle({ options }: VariantDraft, { values }: VariantRow): string {
  return options.flatMap(({ key }) => values[key] ?? []).join(' / ');
}

export function addOption(draft: VariantDraft): VariantDraft {
  const key = String(Math.max(-1, ...draft.options.map((option) => Number(option.key))) + 1);
  return { ...draft, options: [...draft.options, { key, name: '', values: [] }] };
}

function changeOption(draft: VariantDraft, key: string, changes: Partial<OptionDraft>): VariantDraft {
  return { ...draft, options: draft.options.map((one) => (one.key === key ? { ...one, ...changes } : one)) };
}

export function renameOption(draft: VariantDraft, key: string, name: string): VariantDraft {
  return changeOption(draft, key, { name });
}

/** Keeps the first of the variants that differ in this option only. */
export function removeOption(draft: VariantDraft, key: string): VariantDraft {
  const options = draft.options.filter((one) => one.key !== key);
  return { options, rows: withoutOption(draft.rows, key) };
}

function withoutOption(rows: readonly VariantRow[], key: string): readonly VariantRow[] {
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    const combination = otherValues(row, key);
    if (seen.has(combination)) return [];
    seen.add(combination);
    const { [key]: _, ...values } = row.values;
    return [{ ...row, values }];
  });
}

function otherValues({ values }: VariantRow, key: string): string {
  return JSON.stringify(
    Object.entries(values)
      .filter(([option]) => option !== key)
      .sort(),
  );
}

/**
 * The first value of an option is that of all variants; another one makes new variants, like those that have the same values
 * of the other options. `undefined` if there would be too many.
 */
export function addValues(draft: VariantDraft, key: string, texts: readonly string[]): VariantDraft | undefined {
  return texts.reduce<VariantDraft | undefined>((all, text) => all && addValue(all, key, text), draft);
}

function addValue(draft: VariantDraft, key: string, text: string): VariantDraft | undefined {
  const value = text.trim();
  const option = draft.options.find((one) => one.key === key);
  if (!option || value === '' || option.values.includes(value)) return draft;
  const changed = changeOption(draft, key, { values: [...option.values, value] });
  const withValue = (row: VariantRow) => ({ ...row, values: { ...row.values, [key]: value } });
  if (option.values.length === 0) return { ...changed, rows: draft.rows.map(withValue) };
  const similar = new Map([...draft.rows].reverse().map((row) => [otherValues(row, key), row]));
  const copies = [...similar.values()].map((row) => withValue(newRow(row)));
  return addRows(changed, copies);
}

/** A further variant has the price, the weight and the taxes of a similar one. */
function newRow(similar: VariantRow): VariantRow {
  const { values, price, compare_at_price, weight_grams, continue_selling, taxable, tax_class, tax_code } = similar;
  const taxes = { taxable, tax_class, tax_code };
  return { ...emptyRow, values, price, compare_at_price, weight_grams, continue_selling, ...taxes };
}

function addRows(draft: VariantDraft, rows: readonly VariantRow[]): VariantDraft | undefined {
  if (draft.rows.length + rows.length > maxVariants) return undefined;
  const numbers = draft.rows.map(({ key }) => (/^\d+$/.test(key) ? Number(key) : 0));
  const next = Math.max(0, ...numbers) + 1;
  const added = rows.map((row, index) => ({ ...row, key: String(next + index) }));
  return { ...draft, rows: sortRows(draft.options, [...draft.rows, ...added]) };
}

/** In the order of the values of the first option, then of the second and the third. */
function sortRows(options: readonly OptionDraft[], rows: readonly VariantRow[]): VariantRow[] {
  const place = ({ key, values }: OptionDraft, row: VariantRow) => values.indexOf(row.values[key] ?? '');
  return rows.toSorted((a, b) => {
    const first = options.find((option) => place(option, a) !== place(option, b));
    return first ? place(first, a) - place(first, b) : 0;
  });
}

/** Keeps the variants that have it. A name that another value has is refused. */
export function renameValue(draft: VariantDraft, key: string, from: string, text: string): VariantDraft {
  const to = text.trim();
  const option = draft.options.find((one) => one.key === key);
  if (!option || to === '' || option.values.includes(to)) return draft;
  const values = option.values.map((value) => (value === from ? to : value));
  const rows = draft.rows.map((row) =>
    row.values[key] === from ? { ...row, values: { ...row.values, [key]: to } } : row,
  );
  return { ...changeOption(draft, key, { values }), rows };
}

/** Removes its variants, except with the last value of an option. */
export function removeValue(draft: VariantDraft, key: string, value: string): VariantDraft {
  const left = draft.options.find((one) => one.key === key)?.values.filter((one) => one !== value) ?? [];
  const rows =
    left.length === 0 ? withoutOption(draft.rows, key) : draft.rows.filter((row) => row.values[key] !== value);
  return { ...changeOption(draft, key, { values: left }), rows };
}

export function removeRows(draft: VariantDraft, keys: ReadonlySet<string>): VariantDraft {
  return { ...draft, rows: draft.rows.filter(({ key }) => !keys.has(key)) };
}

/** How many combinations of the values have no variant. */
export function countMissing({ options, rows }: VariantDraft): number {
  const used = options.filter(({ values }) => values.length > 0);
  return used.reduce((product, { values }) => product * values.length, 1) - rows.length;
}

/** Adds a variant for each combination of values that has none. `undefined` if there would be too many. */
export function addMissing(draft: VariantDraft): VariantDraft | undefined {
  if (draft.rows.length + countMissing(draft) > maxVariants) return undefined;
  const used = draft.options.filter(({ values }) => values.length > 0);
  const combinations = used.reduce<readonly VariantRow['values'][]>(
    (all, { key, values }) => all.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
    [{}],
  );
  const known = new Set(draft.rows.map((row) => otherValues(row, '')));
  const missing = combinations.map((values) => ({ ...emptyRow, values }));
  return addRows(
    draft,
    missing.filter((row) => !known.has(otherValues(row, ''))),
  );
}

export function changeRow(draft: VariantDraft, key: string, changes: Partial<VariantRow>): VariantDraft {
  return { ...draft, rows: draft.rows.map((row) => (row.key === key ? { ...row, ...changes } : row)) };
}

/** Sets a column of these rows. */
export function fillColumn(
  draft: VariantDraft,
  keys: ReadonlySet<string>,
  column: TextColumn,
  text: string,
): VariantDraft {
  return { ...draft, rows: draft.rows.map((row) => (keys.has(row.key) ? { ...row, [column]: text } : row)) };
}

/** Writes the cells of a copied part of a spreadsheet, from this cell on to the right and down. */
export function pasteCells(draft: VariantDraft, key: string, column: TextColumn, text: string): VariantDraft {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const first = draft.rows.findIndex((row) => row.key === key);
  const columns = textColumns.slice(textColumns.indexOf(column));
  const rows = draft.rows.map((row, index) => {
    const cells = index < first ? undefined : lines[index - first]?.split('\t');
    const written = cells?.slice(0, columns.length).map((cell, at) => [columns[at], cell.trim()]);
    return written ? { ...row, ...Object.fromEntries(written) } : row;
  });
  return { ...draft, rows };
}
