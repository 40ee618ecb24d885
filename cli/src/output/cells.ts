import { plainLine } from './plain-text.ts';
import { relativeTime } from './relative-time.ts';

export type RecordFields = Readonly<Record<string, unknown>>;

/** The cell of a column: a path such as `customer.first_name`, or several, as in `name=first_name+last_name`. */
export function formatColumn(record: RecordFields, column: string, now?: Date): string {
  const paths = column.slice(column.indexOf('=') + 1).split('+');
  const texts = paths.map((path) => formatCell(readField(record, path), record, now));
  return texts.filter((text) => text !== '').join(' ');
}

function readField(record: RecordFields, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as RecordFields | null | undefined)?.[name], record);
}

export function isScalar(value: unknown): boolean {
  return value === null || typeof value !== 'object';
}

const isTime = (value: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value);
const isMoney = (value: string) => /^-?\d+\.\d{2,3}$/.test(value);

/** A value on one line. With `now`, times are relative and amounts have their currency; without, both are exact. */
export function formatCell(value: unknown, record: RecordFields, now?: Date): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((item) => formatCell(item, record, now)).join(', ');
  if (typeof value === 'object') return plainLine(JSON.stringify(value));
  const text = String(value);
  if (now && typeof value === 'string' && isTime(value)) return relativeTime(value, now);
  if (now && typeof value === 'string' && isMoney(value) && typeof record.currency === 'string')
    return `${withDecimals(text, record.currency)} ${plainLine(record.currency)}`;
  return plainLine(text);
}

/** `500` yen, `1.250` dinars. Of an unknown currency, as the platform writes it. */
function withDecimals(amount: string, currency: string): string {
  if (!/^[A-Z]{3}$/.test(currency)) return amount;
  const [whole = '', digits = ''] = amount.split('.');
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  const decimals = Math.max(maximumFractionDigits, digits.replace(/0+$/, '').length);
  return decimals === 0 ? whole : `${whole}.${digits.padEnd(decimals, '0').slice(0, decimals)}`;
}

/** `order_number` is `Order number`, `customer.first_name` `Customer first name`. */
export function label(column: string): string {
  const words = column
    .split('=', 1)
    .join()
    .replaceAll(/[._]/g, ' ')
    .replace(/\b(id|ids|sku|url|kyc|ip)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
