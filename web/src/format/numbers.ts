// Making a formatter takes longer than rendering a row of a table.
const countFormat = new Intl.NumberFormat();
const moneyFormats = new Map<string, Intl.NumberFormat>();

export function money(amount: string, currency: string): string {
  let format = moneyFormats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat(undefined, { style: 'currency', currency });
    moneyFormats.set(currency, format);
  }
  return format.format(Number(amount));
}

export function count(value: number): string {
  return countFormat.format(value);
}

/** For a badge. */
export function badgeCount(value: number): string {
  return value > 99 ? '99+' : String(value);
}

const sizeFormat = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** `1.2 MB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${sizeFormat.format(bytes / 1_000)} KB` : `${sizeFormat.format(bytes / 1_000_000)} MB`;
}
