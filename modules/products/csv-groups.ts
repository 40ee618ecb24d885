import { type Ctx, Issues, type readCsv, Type } from '@chowk/kit';
import { optionNumbers } from './csv-columns.ts';
import { NewProduct, ProductChanges, type ProductRecord } from './schemas.ts';
import { SentVariant, type Variant } from './variant-schemas.ts';

/* Rows of a CSV file become products: those with the same slug and option values are variants of one product. */

export type CsvRow = Awaited<ReturnType<typeof readCsv>>['rows'][number];

export interface Existing {
  readonly product: ProductRecord;
  readonly variants: readonly Variant[];
}

/** The rows of one product. */
export interface Group {
  readonly rows: readonly CsvRow[];
  readonly existing: Existing | undefined;
  /** Whether rows are variants, with prices and stock of their own. */
  readonly hasVariants: boolean;
}

const hasOptions = ({ input }: CsvRow) => optionNumbers.some((number) => input[`option${number}_value`] != null);

/** The name that the rows of a product have in common, before it is known. */
export function groupKey(row: CsvRow): string {
  return hasOptions(row) && typeof row.input.slug === 'string' ? `slug ${row.input.slug}` : `sku ${lowerSku(row)}`;
}

export function lowerSku({ input }: CsvRow): string {
  return String(input.sku).toLowerCase();
}

export function groupRows(rows: readonly CsvRow[], find: (row: CsvRow) => Existing | undefined): Group[] {
  const keyed = rows.map((row) => ({ row, existing: find(row) }));
  const groups = Map.groupBy(keyed, ({ row, existing }) => existing?.product.id ?? groupKey(row));
  return [...groups.values()].map((members) => {
    const [first] = members;
    const existing = first?.existing;
    const own = members.map(({ row }) => row);
    return { rows: own, existing, hasVariants: (existing?.variants.length ?? 1) > 1 || own.some(hasOptions) };
  });
}

interface ReadRow {
  readonly line: number;
  readonly issues: Issues;
  /** The fields of the product that are valid. */
  readonly product: ProductChanges;
  readonly variant: SentVariant;
  /** By number of the option, from 0. */
  readonly optionNames: readonly (string | undefined)[];
}

const { sku: _, price: __, compare_at_price: ___, stock: ____, ...shared } = ProductChanges.properties;
const SharedFields = Type.Object(shared);

/** A row with all its problems. */
export function readRow(ctx: Ctx, { line, input }: CsvRow, { existing, hasVariants }: Group): ReadRow {
  const issues = new Issues();
  const optionNames = optionNumbers.map((number) => (input[`option${number}_name`] as string | null) ?? undefined);
  const product: Record<string, unknown> = { ...input };
  issues.addAll(ctx.check(hasVariants ? SharedFields : existing ? ProductChanges : NewProduct, product));
  const variant: Record<string, unknown> = { ...input };
  delete variant.options;
  issues.addAll(ctx.check(SentVariant, variant));
  const isValid = ([name]: [string, unknown]) => !issues.has(name);
  const options = hasVariants ? { options: readOptions(input, optionNames, existing) } : {};
  return {
    line,
    issues,
    product: Object.fromEntries(Object.entries(product).filter(isValid)),
    variant: { ...Object.fromEntries(Object.entries(variant).filter(isValid)), ...options },
    optionNames,
  };
}

/** The options of a row; of a variant without any in its row, those that it has. */
function readOptions(input: CsvRow['input'], names: readonly (string | undefined)[], existing: Existing | undefined) {
  const known = existing?.variants.find(({ sku }) => sku.toLowerCase() === String(input.sku).toLowerCase());
  const entries = optionNumbers.flatMap((number, index) => {
    const name = names[index] ?? existing?.product.options[index]?.name;
    const value = input[`option${number}_value`];
    return name !== undefined && typeof value === 'string' ? [[name, value] as const] : [];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : (known?.options ?? {});
}

/** The fields of the product, which its rows must agree on. */
export function mergeShared(rows: readonly ReadRow[]): ProductChanges {
  const merged: Record<string, { readonly line: number; readonly value: unknown }> = {};
  for (const { line, product, issues } of rows) {
    for (const [name, value] of Object.entries(product)) {
      const first = merged[name];
      const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
      if (first === undefined) merged[name] = { line, value };
      else if (!isEmpty && JSON.stringify(first.value) !== JSON.stringify(value)) {
        issues.add(name, `Line ${first.line} of the same product has another value.`);
      }
    }
  }
  return Object.fromEntries(Object.entries(merged).map(([name, { value }]) => [name, value]));
}
