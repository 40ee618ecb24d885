import { splitList, unescapeFormula } from '@chowk/kit';
import { NewProduct, Product } from './schemas.ts';

/** Cells that are not just the field as text. */
export const csvCells = {
  categories: ({ categories }: Product) => categories.join('|'),
  /** A line for each image: its address, a space, its description. */
  images: ({ images }: Product) => images.map(({ url, alt }) => `${url} ${alt}`.trimEnd()).join('\n'),
};

/** The columns a file may have; those that are no field of a new product are ignored. */
export const columnNames: readonly string[] = Object.keys(Product.properties);

type Read = (cell: string) => unknown;

const textIn = (cell: string) => cell.trim() || undefined;
const flags: Readonly<Record<string, boolean>> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

/** By the type of the field; what a cell cannot mean is left as text, for the schema to refuse. */
const readers: Readonly<Record<string, Read>> = {
  integer: (cell) => (/^[+-]?\d{1,15}$/.test(cell.trim()) ? Number(cell) : textIn(cell)),
  boolean: (cell) => flags[cell.trim().toLowerCase()] ?? textIn(cell),
  array: (cell) => splitList([unescapeFormula(cell)]),
};

const special: Readonly<Record<string, Read>> = {
  description: unescapeFormula,
  status: (cell) => textIn(cell)?.toLowerCase(),
  compare_at_price: (cell) => textIn(cell) ?? null,
  categories: (cell) => linesOf(cell, '|'),
  images: (cell) =>
    linesOf(cell, '\n').map((line) => {
      const [url = '', ...alt] = line.split(' ');
      return { url, alt: alt.join(' ') };
    }),
};

/** What a cell says about a field of a product; `undefined` says nothing. */
export function readCell(column: string, cell: string): unknown {
  const field = (NewProduct.properties as Record<string, { type?: unknown }>)[column];
  if (!field) return undefined;
  const read = special[column] ?? readers[String(field.type)] ?? ((text: string) => textIn(unescapeFormula(text)));
  return read(cell);
}

function linesOf(cell: string, separator: string): string[] {
  const entries = unescapeFormula(cell).split(separator);
  return entries.map((entry) => entry.trim()).filter(Boolean);
}
