import type { InvoiceParty } from './schemas.ts';

/** Formats amounts, dates and countries in the locale of an invoice, with digits that every font has. */
export interface Formats {
  /** With the decimals of the currency. */
  money(amount: string): string;
  /** Also with a third decimal, which the price of a unit may have. */
  price(amount: string): string;
  date(time: string): string;
  country(name: string): string;
}

export function createFormats(invoice: { locale: string; timezone: string; currency: string }): Formats {
  const locale = knownLocale(invoice.locale);
  const base = { numberingSystem: 'latn' } as const;
  const style = { ...base, style: 'currency', currency: invoice.currency } as const;
  const money = new Intl.NumberFormat(locale, style);
  const { minimumFractionDigits = 2 } = money.resolvedOptions();
  const price = new Intl.NumberFormat(locale, { ...style, minimumFractionDigits, maximumFractionDigits: 3 });
  const date = new Intl.DateTimeFormat(locale, { ...base, dateStyle: 'long', timeZone: invoice.timezone });
  const regions = new Intl.DisplayNames(locale, { type: 'region' });
  return {
    // As text, amounts are exact.
    money: (amount) => money.format(amount as `${number}`),
    price: (amount) => price.format(amount as `${number}`),
    date: (time) => date.format(new Date(time)),
    country: (name) => (/^[a-z]{2}$/i.test(name) ? (regions.of(name.toUpperCase()) ?? name) : name),
  };
}

function knownLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** Control characters, and those that change the direction of the text after them. */
const invisible = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** A line of text as it is printed. */
export function printable(text: string): string {
  return text.replace(/\s+/g, ' ').replace(invisible, '').trim();
}

export function printableLines(text: string): string[] {
  return text
    .split(/\r\n?|\n/)
    .map(printable)
    .filter(Boolean);
}

/** `9%` of 9.00. */
export const percent = (rate: string) => `${Number(rate)}%`;

export function partyLines(party: InvoiceParty, { country }: Formats): string[] {
  const region = [party.state, party.pincode].filter(Boolean).join(' ');
  const place = [party.city, region].filter(Boolean).join(', ');
  const lines = [
    party.name,
    party.company,
    party.address1,
    party.address2,
    place,
    party.country && country(party.country),
    party.phone,
    party.email,
    party.tax_number && `Tax number ${party.tax_number}`,
  ];
  return lines.map((line) => printable(line ?? '')).filter(Boolean);
}
