import { NewProduct, Product } from './schemas.ts';

/** CSV cells that are not simply the text of a field. */
export const csvCells = {
  categories: ({ categories }: Product) => categories.join('|'),
  /** A line for each image: URL, space, description. */
  images: ({ images }: Product) => images.map(({ url, alt }) => `${url} ${alt}`.trimEnd()).join('\n'),
};

export const csvFormat = {
  columns: Product,
  fields: NewProduct,
  key: 'sku',
  cells: {
    description: (cell: string) => cell,
    status: (cell: string) => cell.trim().toLowerCase() || undefined,
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
