import { slugify } from '@chowk/kit';
import { maxImages } from './schemas.ts';

interface Row {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

/**
 * The product export of Shopify. Rows with the same handle are a product: the first has its fields, each variant has a row, and
 * further rows only have images.
 */
export const shopifyProducts = {
  recognizedBy: ['handle', 'title', 'variant price'],
  convert: (rows: readonly Row[]): Row[] =>
    [...Map.groupBy(rows, ({ cells }) => read(cells, 'handle')).entries()].flatMap(([handle, group]) =>
      convertProduct(handle, group),
    ),
};

type Cells = Row['cells'];

const read = (cells: Cells, name: string) => (cells[name] ?? '').trim();

function convertProduct(handle: string, rows: readonly Row[]): Row[] {
  const [first] = rows as [Row];
  const priced = rows.filter(({ cells }) => read(cells, 'variant price') !== '' || read(cells, 'variant sku') !== '');
  const variants = priced.length > 0 ? priced : [first];
  const names = readOptionNames(first.cells);
  return variants.map(({ line, cells }, index) => ({
    line,
    cells: {
      ...(index === 0 ? productCells(first.cells, rows) : {}),
      ...variantCells(cells),
      slug: slugify(handle, 100),
      sku: readSku(cells) || defaultSku(handle, index),
      ...optionCells(names, cells),
    },
  }));
}

function productCells(cells: Cells, rows: readonly Row[]): Cells {
  const published = read(cells, 'published').toLowerCase();
  return {
    title: read(cells, 'title'),
    description: toText(cells['body (html)'] ?? ''),
    tags: read(cells, 'tags'),
    categories: read(cells, 'type').replaceAll('|', ' '),
    status: read(cells, 'status') || (published === 'false' ? 'draft' : 'active'),
    images: rows
      .filter((row) => read(row.cells, 'image src') !== '')
      .slice(0, maxImages)
      .map((row) => `${read(row.cells, 'image src')} ${read(row.cells, 'image alt text').replaceAll(/\s+/g, ' ')}`)
      .join('\n'),
  };
}

function variantCells(cells: Cells): Cells {
  const stock = Number(read(cells, 'variant inventory qty') || Number.NaN);
  const grams = Number(read(cells, 'variant grams') || Number.NaN);
  const compared = read(cells, 'variant compare at price');
  const policy = read(cells, 'variant inventory policy').toLowerCase();
  return {
    price: read(cells, 'variant price'),
    compare_at_price: Number(compared) === 0 ? '' : compared,
    // Shopify counts below zero what was sold without being there.
    ...(Number.isNaN(stock) ? {} : { stock: String(Math.max(0, stock)) }),
    ...(Number.isNaN(grams) ? {} : { weight_grams: String(Math.round(grams)) }),
    barcode: withoutApostrophe(read(cells, 'variant barcode')),
    ...(policy === '' ? {} : { continue_selling: String(policy === 'continue') }),
    taxable: read(cells, 'variant taxable'),
  };
}

const optionNumbers = [1, 2, 3];

/** A product without options has one that is called Title. */
function readOptionNames(cells: Cells): string[] {
  const names = optionNumbers.map((number) => read(cells, `option${number} name`));
  const isDefault = names[0] === 'Title' && read(cells, 'option1 value') === 'Default Title';
  return isDefault ? [] : names;
}

function optionCells(names: readonly string[], cells: Cells): Cells {
  const entries = names.flatMap((name, index) => [
    [`option${index + 1}_name`, name],
    [`option${index + 1}_value`, read(cells, `option${index + 1} value`)],
  ]);
  return Object.fromEntries(entries);
}

function readSku(cells: Cells): string {
  return withoutApostrophe(read(cells, 'variant sku'));
}

/** Shopify writes one before numbers, so that spreadsheets show all digits. */
function withoutApostrophe(text: string): string {
  return text.replace(/^'/, '');
}

/** Shopify allows variants without a SKU. */
function defaultSku(handle: string, index: number): string {
  return index === 0 ? handle.slice(0, 60) : `${handle.slice(0, 60)}-${index + 1}`;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };

/** Descriptions are plain text. */
function toText(html: string): string {
  return html
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, '')
    .replace(/\s*<(?:br|\/p|\/div|\/li|\/h\d|\/tr)\b[^>]*>\s*/gi, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&(#39|\w+);/g, (entity, name: string) => entities[name] ?? entity)
    .trim();
}
