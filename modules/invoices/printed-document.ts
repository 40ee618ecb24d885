import { fromCents, toCents } from '@chowk/kit';
import { createFormats, type Formats, partyLines, percent, printable, printableLines } from './print-text.ts';
import type { InvoiceDetails, InvoiceLine, InvoiceParty, InvoiceSeller } from './schemas.ts';
import type { Order } from './snapshot.ts';

export interface Column {
  readonly label: string;
  readonly isNumber: boolean;
}

export interface Row {
  readonly cells: readonly string[];
  /** Small lines below the first cell. */
  readonly details: readonly string[];
}

export interface Sum {
  readonly label: string;
  readonly amount: string;
  readonly weight: 'normal' | 'strong' | 'quiet';
}

/** What a document shows, as text, for HTML and PDF alike. */
export interface PrintedDocument {
  readonly title: string;
  readonly number: string;
  readonly issuedAt: string;
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly seller: { readonly name: string; readonly lines: readonly string[] };
  readonly logo: Logo | undefined;
  readonly parties: readonly { readonly heading: string; readonly lines: readonly string[] }[];
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly sums: readonly Sum[];
  readonly notes: readonly string[];
}

export interface Logo {
  /** A PNG file. */
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

const text = (label: string): Column => ({ label, isNumber: false });
const number = (label: string): Column => ({ label, isNumber: true });

export function describeInvoice(invoice: InvoiceDetails, logo: Logo | undefined): PrintedDocument {
  const { seller, kind, currency } = invoice;
  const formats = createFormats({ ...seller, currency });
  const isCreditNote = kind === 'credit_note';
  const hasRates = invoice.lines.some(({ tax_rate }) => tax_rate !== null);
  return {
    title: isCreditNote ? 'Credit note' : seller.tax_number ? 'Tax invoice' : 'Invoice',
    number: printable(invoice.invoice_number),
    issuedAt: invoice.issued_at,
    facts: [
      { label: 'Number', value: printable(invoice.invoice_number) },
      { label: 'Date', value: formats.date(invoice.issued_at) },
      ...(invoice.corrects === null ? [] : [{ label: 'For invoice', value: printable(invoice.corrects) }]),
      { label: 'Order', value: printable(invoice.order_number) },
      { label: 'Order date', value: formats.date(invoice.ordered_at) },
    ],
    seller: describeSeller(seller),
    logo,
    parties: describeParties(invoice.buyer, invoice.ship_to, formats),
    columns: [
      text('Item'),
      number('Quantity'),
      number('Price'),
      ...(hasRates ? [number('Tax')] : []),
      number('Amount'),
    ],
    rows: invoice.lines.map((line) => describeLine(line, { currency, formats, hasRates })),
    sums: [...describeSums(invoice, formats), ...describePayment(invoice, formats)],
    notes: isCreditNote ? [] : printableLines(seller.footer),
  };
}

export function describePackingSlip(order: Order, seller: InvoiceSeller, printed: Printed): PrintedDocument {
  const formats = createFormats({ ...seller, currency: order.currency });
  const units = order.items.reduce((sum, { quantity }) => sum + quantity, 0);
  return {
    title: 'Packing slip',
    number: printable(order.order_number),
    issuedAt: printed.at,
    facts: [
      { label: 'Order', value: printable(order.order_number) },
      { label: 'Order date', value: formats.date(order.placed_at as string) },
      ...(order.shipping ? [{ label: 'Shipping', value: printable(order.shipping.title) }] : []),
    ],
    seller: describeSeller({ ...seller, tax_number: '' }),
    logo: printed.logo,
    parties: [{ heading: 'Ship to', lines: partyLines(printed.recipient, formats) }],
    columns: [text('Item'), text('SKU'), number('Quantity')],
    rows: order.items.map(({ name, sku, quantity }) => ({
      cells: [printable(name), printable(sku ?? ''), String(quantity)],
      details: [],
    })),
    sums: [{ label: 'Units', amount: String(units), weight: 'strong' }],
    notes: [],
  };
}

interface Printed {
  readonly at: string;
  readonly logo: Logo | undefined;
  readonly recipient: InvoiceParty;
}

function describeSeller({ name, address, tax_number }: InvoiceSeller): PrintedDocument['seller'] {
  return { name: printable(name), lines: [...printableLines(address), ...printableLines(tax_number)] };
}

function describeParties(
  buyer: InvoiceParty,
  shipTo: InvoiceParty | null,
  formats: Formats,
): PrintedDocument['parties'] {
  const billed = { heading: 'Bill to', lines: partyLines(buyer, formats) };
  if (!shipTo) return [billed];
  const shipped = { heading: 'Ship to', lines: partyLines(shipTo, formats) };
  const isSame = shipped.lines.join('\n') === billed.lines.join('\n');
  return isSame ? [{ ...billed, heading: 'Bill and ship to' }] : [billed, shipped];
}

interface LineStyle {
  readonly currency: string;
  readonly formats: Formats;
  readonly hasRates: boolean;
}

function describeLine(line: InvoiceLine, { currency, formats, hasRates }: LineStyle): Row {
  const isReduced = toCents(line.discount_total, currency) > 0n;
  return {
    cells: [
      printable(line.name),
      String(line.quantity),
      formats.price(line.price),
      ...(hasRates ? [line.tax_rate === null ? '' : percent(line.tax_rate)] : []),
      formats.money(line.subtotal),
    ],
    details: [
      ...(line.sku === null ? [] : [printable(line.sku)]),
      ...(line.tax_code ? [`Tax code ${printable(line.tax_code)}`] : []),
      ...(isReduced ? [`Discount ${minus(formats.money(line.discount_total))}`] : []),
    ],
  };
}

const minus = (amount: string) => `−${amount}`;

/** From the subtotal to the total: every amount between them is added or subtracted. Taxes in the prices come after it. */
function describeSums(invoice: InvoiceDetails, { money }: Formats): Sum[] {
  const sum = (label: string, amount: string): Sum => ({ label: printable(label), amount, weight: 'normal' });
  const included = invoice.prices_include_tax;
  const taxes = invoice.taxes.map(({ name, rate, taxable, amount }) => {
    const parts = [
      name,
      ...(rate === null ? [] : [percent(rate)]),
      ...(taxable === null ? [] : [`on ${money(taxable)}`]),
    ];
    return sum(`${included ? 'Includes ' : ''}${parts.join(' ')}`, money(amount));
  });
  const { adjustment, shipping } = invoice;
  const isAdjusted = Number(adjustment) !== 0;
  return [
    sum('Subtotal', money(invoice.subtotal)),
    ...invoice.discounts.map(({ label, amount }) => sum(label, minus(money(amount)))),
    ...(shipping ? [sum(shipping.label, money(shipping.amount))] : []),
    ...(included ? [] : taxes),
    ...(isAdjusted ? [sum('Adjustment', money(adjustment))] : []),
    { label: 'Total', amount: money(invoice.total), weight: 'strong' },
    ...(included ? taxes.map((tax): Sum => ({ ...tax, weight: 'quiet' })) : []),
  ];
}

function describePayment({ total, paid_total, currency }: InvoiceDetails, { money }: Formats): Sum[] {
  const paid = toCents(paid_total, currency);
  if (paid === 0n) return [];
  const due = toCents(total, currency) - paid;
  return [
    { label: 'Paid', amount: minus(money(paid_total)), weight: 'normal' },
    { label: 'Amount due', amount: money(fromCents(due > 0n ? due : 0n, currency)), weight: 'strong' },
  ];
}
