import { NewProduct, Product } from './schemas.ts';

/** How an export writes what is not just the field as text. */
export const csvCells = {
  categories: ({ categories }: Product) => categories.join('|'),
  /** A line for each image: its address, a space, its description. */
  images: ({ images }: Product) => images.map(({ url, alt }) => `${url} ${alt}`.trimEnd()).join('\n'),
};

/** How an import reads it back. */
export const csvFormat = {
  columns: Product,
  fields: NewProduct,
  key: 'sku',
  cells: {
    description: (cell: string) => cell,
    status: (cell: string) => cell.trim().toLowerCase() || undefined,
    categories: (cell: string) => partsOf(cell, '|'),
    images: (cell: string) =>
      partsOf(cell, '\n').map((line) => {
        const [url = '', ...alt] = line.split(' ');
        return { url, alt: alt.join(' ') };
      }),
  },
};

function partsOf(cell: string, separator: string): string[] {
  const parts = cell.split(separator).map((part) => part.trim());
  return parts.filter(Boolean);
}
