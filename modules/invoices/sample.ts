import { type Ctx, fromCents, sql, toCents } from '@chowk/kit';
import type { InvoiceDetails, InvoiceParty } from './schemas.ts';
import { readSeller } from './snapshot.ts';

const id = '00000000-0000-7000-8000-000000000000';
const buyer: InvoiceParty = {
  name: 'Meera Iyer',
  company: null,
  address1: '12 Lake Road',
  address2: null,
  city: 'Pune',
  state: 'Maharashtra',
  pincode: '411001',
  country: 'India',
  email: 'meera@example.com',
  phone: '+91 98765 43210',
};

/** An invoice with a made-up order, the settings of now and the number that the next one gets. */
export async function createSample(ctx: Ctx): Promise<InvoiceDetails> {
  const { 'invoices.number_prefix': prefix, 'general.currency': currency } = await ctx.settings();
  const amount = (text: string) => fromCents(toCents(text, currency), currency);
  const [price, sum, tax, total] = [amount('500'), amount('1000'), amount('180'), amount('1180')];
  const line = {
    name: 'Sample product',
    sku: 'SAMPLE',
    quantity: 2,
    price,
    subtotal: sum,
    discount_total: amount('0'),
  };
  const now = ctx.now().toISOString();
  return {
    id,
    kind: 'invoice',
    invoice_number: `${prefix}${await findNextNumber(ctx)}`,
    order_id: id,
    customer_id: id,
    order_number: 'Sample',
    currency,
    total,
    issued_at: now,
    updated_at: now,
    ordered_at: now,
    seller: await readSeller(ctx),
    buyer,
    ship_to: null,
    corrects: null,
    lines: [{ ...line, tax_rate: '18', tax_total: tax, total }],
    subtotal: sum,
    discounts: [],
    shipping: null,
    adjustment: amount('0'),
    prices_include_tax: false,
    taxes: [{ name: 'Tax', rate: '18.00', taxable: sum, amount: tax }],
    tax_total: tax,
    paid_total: amount('0'),
  };
}

async function findNextNumber(ctx: Ctx): Promise<number> {
  const { 'invoices.next_number': next } = await ctx.settings();
  const row = await ctx.db.row<{ last: number }>(sql`SELECT last FROM invoice_numbers WHERE kind = 'invoice'`);
  return Math.max(next, Number(row?.last ?? 0) + 1);
}
