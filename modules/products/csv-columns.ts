import { fromInert, inert } from '@chowk/kit';
import type { NewProduct, Product } from './schemas.ts';

interface Column {
  write(product: Product): string;
  /** What a cell says, for the schema to judge; `undefined` says nothing. A column without is only for reading. */
  read?(cell: string): unknown;
}

/** The columns of the file, in order. Export writes all of them; import takes any that it can read. */
export const csvColumns: Readonly<Record<string, Column>> = {
  sku: text('sku', nothingIfEmpty),
  title: text('title', nothingIfEmpty),
  description: text('description', (cell) => cell),
  price: { write: ({ price }) => price, read: nothingIfEmpty },
  compare_at_price: {
    write: ({ compare_at_price: amount }) => amount ?? '',
    read: (cell) => nothingIfEmpty(cell) ?? null,
  },
  status: { write: ({ status }) => status, read: (cell) => nothingIfEmpty(cell)?.toLowerCase() },
  stock: { write: ({ stock }) => String(stock), read: readInteger },
  mandatory: { write: ({ mandatory }) => String(mandatory), read: readBoolean },
  tags: textOf(
    ({ tags }) => tags.join(','),
    (cell) => readList(cell, ','),
  ),
  categories: textOf(
    ({ categories }) => categories.join('|'),
    (cell) => readList(cell, '|'),
  ),
  images: textOf(writeImages, readImages),
  id: { write: ({ id }) => id },
  reserved: { write: ({ reserved }) => String(reserved) },
  available: { write: ({ available }) => String(available) },
  created_at: { write: ({ created_at }) => created_at },
  updated_at: { write: ({ updated_at }) => updated_at },
} satisfies Record<keyof Product, Column> & Record<keyof NewProduct, Required<Column>>;

function text(field: 'sku' | 'title' | 'description', read: (cell: string) => unknown): Required<Column> {
  return textOf((product) => product[field], read);
}

/** Text that somebody has typed. */
function textOf(write: (product: Product) => string, read: (cell: string) => unknown): Required<Column> {
  return { write: (product) => inert(write(product)), read: (cell) => read(fromInert(cell)) };
}

function nothingIfEmpty(cell: string): string | undefined {
  return cell.trim() || undefined;
}

function readInteger(cell: string): unknown {
  return /^[+-]?\d{1,15}$/.test(cell.trim()) ? Number(cell) : nothingIfEmpty(cell);
}

const words = new Map<string, boolean>([
  ...['true', 'yes', '1'].map((word) => [word, true] as const),
  ...['false', 'no', '0'].map((word) => [word, false] as const),
]);

function readBoolean(cell: string): unknown {
  return words.get(cell.trim().toLowerCase()) ?? nothingIfEmpty(cell);
}

function readList(cell: string, separator: string): string[] {
  const entries = cell.split(separator).map((entry) => entry.trim());
  return entries.filter(Boolean);
}

/** A line an image: its address, a space, its description. */
function writeImages({ images }: Product): string {
  return images.map(({ url, alt }) => `${url} ${alt}`.trimEnd()).join('\n');
}

function readImages(cell: string): { url: string; alt: string }[] {
  return readList(cell, '\n').map((line) => {
    const [url = '', ...alt] = line.split(' ');
    return { url, alt: alt.join(' ') };
  });
}
