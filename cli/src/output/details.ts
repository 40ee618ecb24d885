import { formatCell, isScalar, label, type RecordFields } from './cells.ts';
import { nestedColumns } from './columns.ts';
import { plainText } from './plain-text.ts';
import { alignedTable, type TableOptions } from './table.ts';
import { textWidth } from './text-width.ts';

/** The fields of one record, a line each; lists of records below them as tables. */
export function formatDetails(record: RecordFields, options: Omit<TableOptions, 'columns'>): string {
  const { indent = 0, now, style, output } = options;
  const fields = Object.entries(record).filter(([, value]) => hasContent(value));
  const isLine = ([, value]: [string, unknown]) => isScalar(value) || (Array.isArray(value) && value.every(isScalar));
  const lines = fields.filter(isLine);
  const width = Math.max(0, ...lines.map(([name]) => textWidth(fieldLabel(name))));
  const pad = ' '.repeat(indent);
  const shownTime = output.isTerminal ? now : undefined;
  const text = lines.map(([name, value]) => {
    const shown =
      typeof value === 'string' && value.includes('\n')
        ? multiline(value, indent + width + 2)
        : formatCell(value, record, shownTime);
    const colored = /status|severity|outcome/.test(name) ? style.status(shown) : shown;
    const title = style.paint(fieldLabel(name).padEnd(width), 'dim');
    return `${pad}${title}  ${colored}`.trimEnd();
  });
  const parts = fields
    .filter((field) => !isLine(field))
    .flatMap(([name, value]) => formatPart(name, value, { ...options, indent }));
  return `${[...text, ...parts].join('\n')}\n`;
}

function hasContent(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
}

function formatPart(name: string, value: unknown, options: Omit<TableOptions, 'columns'>): string[] {
  const { indent = 0, style } = options;
  const title = `${' '.repeat(indent)}${style.paint(fieldLabel(name), 'bold')}`;
  if (!Array.isArray(value)) {
    const nested = value as RecordFields;
    if (Object.keys(nested).length === 0) return [];
    return [title, formatDetails(nested, { ...options, indent: indent + 2 }).trimEnd()];
  }
  const records = value.map((item) => (isScalar(item) ? { value: item } : item)) as RecordFields[];
  return [
    title,
    alignedTable(records, {
      ...options,
      indent: indent + 2,
      columns: nestedColumns[name] ?? scalarColumns(records),
    }).trimEnd(),
  ];
}

/** The columns of a list that has none by hand: the first fields that are no lists or records, ids last. */
export function scalarColumns(records: readonly RecordFields[]): string[] {
  const [first = {}] = records;
  const names = Object.keys(first).filter((name) => records.every((record) => isScalar(record[name] ?? null)));
  const isId = (name: string) => /(^|_)id$/.test(name);
  const sorted = [...names.filter((name) => !isId(name)), ...names.filter(isId)];
  return names.length > 0 ? sorted.slice(0, 8) : Object.keys(first).slice(0, 4);
}

/** A key such as `customers.vip_order_threshold` stays as it is: it is a value to copy. */
function fieldLabel(name: string): string {
  return name.includes('.') ? plainText(name) : label(plainText(name));
}

function multiline(text: string, indent: number): string {
  return plainText(text)
    .split('\n')
    .join(`\n${' '.repeat(indent)}`);
}
