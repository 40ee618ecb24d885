/** The number of the next invoice: after the last one, and at least that of the setting. Prefixes do not end with a digit. */
export function nextInvoiceNumber(last: string | undefined, atLeast: unknown): string {
  const [issued = '0'] = /\d+$/.exec(last ?? '') ?? [];
  const next = Number(issued) + 1;
  return String(typeof atLeast === 'number' && atLeast > next ? atLeast : next);
}
