import { type Ctx, fromCents, sql, toCents } from '@chowk/kit';
import { fail } from './errors.ts';
import { findInvoice, insertInvoice } from './issue.ts';
import { maskInvoice } from './masking.ts';
import type { InvoiceContent, InvoiceDetails, InvoiceTax } from './schemas.ts';

/** Credits what has been refunded of the order and not been credited yet. */
export async function createCreditNote(ctx: Ctx, { id }: { id: string }): Promise<InvoiceDetails> {
  const order = await ctx.bus.call('orders.getRecord', { id, lock: true });
  const invoice = await findInvoice(ctx, id);
  if (!invoice) throw fail('invoices.no_invoice', order);
  const { currency } = order;
  const invoiced = toCents(invoice.total, currency);
  const refunded = toCents(order.refunded_total, currency);
  const credited = toCents(await readCredited(ctx, invoice), currency);
  const until = refunded < invoiced ? refunded : invoiced;
  if (until <= credited) throw fail('invoices.nothing_to_credit', order);
  const { 'invoices.credit_note_prefix': prefix } = await ctx.settings();
  const note = await insertInvoice(ctx, {
    kind: 'credit_note',
    prefix,
    next: 1,
    order,
    total: fromCents(until - credited, currency),
    content: creditContent(invoice, credited, until),
    corrects: invoice.id,
  });
  return maskInvoice(ctx, note);
}

async function readCredited(ctx: Ctx, { id }: InvoiceDetails): Promise<string> {
  const row = await ctx.db.row<{ credited: string }>(
    sql`SELECT coalesce(sum(total), 0)::text AS credited FROM invoices WHERE corrects_id = ${id}`,
  );
  return row?.credited ?? '0';
}

/** The whole invoice with all its lines, or an amount with its share of the taxes. */
function creditContent(invoice: InvoiceDetails, credited: bigint, until: bigint): InvoiceContent {
  const { currency, invoice_number: corrects } = invoice;
  const invoiced = toCents(invoice.total, currency);
  const shared = { ordered_at: invoice.ordered_at, corrects, paid_total: '0.00' };
  if (credited === 0n && until === invoiced) {
    const { lines, subtotal, discounts, shipping, adjustment, prices_include_tax, taxes, tax_total } = invoice;
    return { lines, subtotal, discounts, shipping, adjustment, prices_include_tax, taxes, tax_total, ...shared };
  }
  const share = (amount: string) => creditedShare(toCents(amount, currency), { credited, until, invoiced });
  const money = (cents: bigint) => fromCents(cents, currency);
  const taxes = invoice.taxes.map((tax): InvoiceTax => {
    const taxable = tax.taxable === null ? null : money(share(tax.taxable));
    return { ...tax, taxable, amount: money(share(tax.amount)) };
  });
  const amount = money(until - credited);
  const tax_total = money(taxes.reduce((sum, tax) => sum + toCents(tax.amount, currency), 0n));
  const line = { name: `Refund of invoice ${corrects}`, sku: null, quantity: 1, price: amount, subtotal: amount };
  return {
    lines: [{ ...line, discount_total: '0.00', tax_rate: null, tax_total, total: amount }],
    subtotal: amount,
    discounts: [],
    shipping: null,
    adjustment: '0.00',
    prices_include_tax: true,
    taxes,
    tax_total,
    ...shared,
  };
}

interface Portion {
  readonly credited: bigint;
  readonly until: bigint;
  readonly invoiced: bigint;
}

/** From the sums so far, so that the credit notes of a full refund add up to the invoice. */
function creditedShare(amount: bigint, { credited, until, invoiced }: Portion): bigint {
  const portion = (part: bigint) => (2n * amount * part + invoiced) / (2n * invoiced);
  return portion(until) - portion(credited);
}
