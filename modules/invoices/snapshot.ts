import { type Ctx, fromCents, toCents } from '@chowk/kit';
import type { Operations } from '@chowk/kit/catalogue';
import { findCurrentLogo } from './logo.ts';
import type { InvoiceContent, InvoiceParty, InvoiceSeller, InvoiceTax } from './schemas.ts';

export type Order = Operations['orders']['orders.getRecord']['output'];
type Address = NonNullable<Order['shipping_address']>;

/** The tenant as invoices of this moment show it. */
export async function readSeller(ctx: Ctx): Promise<InvoiceSeller> {
  const settings = await ctx.settings();
  const logo = await findCurrentLogo(ctx);
  return {
    name: settings['invoices.legal_name'].trim() || ctx.tenant.name,
    address: settings['invoices.address'].trim(),
    tax_number: settings['invoices.tax_number'].trim(),
    footer: settings['invoices.footer'].trim(),
    logo_id: logo?.id ?? null,
    locale: settings['general.locale'],
    timezone: settings['general.timezone'],
  };
}

/** Who pays: the billing address, else the shipping address, with the contact of the order. */
export function readBuyer(order: Order): InvoiceParty {
  return readParty(order, order.billing_address ?? order.shipping_address ?? {});
}

/** Who gets the goods; null if the order has no shipping address. */
export function readRecipient(order: Order): InvoiceParty | null {
  return order.shipping_address && readParty(order, order.shipping_address);
}

function readParty({ contact, customer }: Order, address: Address): InvoiceParty {
  const { first_name, last_name } = address.first_name || address.last_name ? address : (contact ?? customer ?? {});
  return {
    name: [first_name, last_name].filter(Boolean).join(' ') || null,
    company: address.company ?? null,
    address1: address.address1 ?? null,
    address2: address.address2 ?? null,
    city: address.city ?? null,
    state: address.state ?? null,
    pincode: address.pincode ?? null,
    country: address.country ?? null,
    email: contact?.email ?? customer?.email ?? null,
    phone: address.phone ?? contact?.phone ?? customer?.phone ?? null,
    tax_number: address.tax_number ?? null,
  };
}

export function readContent(order: Order): InvoiceContent {
  return {
    ordered_at: order.placed_at as string,
    lines: order.items.map(
      ({ name, sku, tax_code, quantity, price, subtotal, discount_total, taxes, tax_total, total }) => {
        const tax_rate = addUpRates(taxes);
        return { name, sku, tax_code, quantity, price, subtotal, discount_total, tax_rate, tax_total, total };
      },
    ),
    subtotal: order.subtotal,
    discounts: readDiscounts(order),
    shipping: readShipping(order),
    adjustment: order.adjustment_total,
    prices_include_tax: order.prices_include_tax,
    taxes: readTaxes(order),
    tax_total: order.tax_total,
    paid_total: order.paid_total,
    corrects: null,
  };
}

/** Discounts of items together, the others by name. */
function readDiscounts({ discounts, currency }: Order): InvoiceContent['discounts'] {
  const byLabel = new Map<string, bigint>();
  for (const { source, code, title, amount } of discounts) {
    const label = source === 'line' ? 'Item discounts' : code ? `Discount ${code}` : title;
    byLabel.set(label, (byLabel.get(label) ?? 0n) + toCents(amount, currency));
  }
  return [...byLabel].map(([label, cents]) => ({ label, amount: fromCents(cents, currency) }));
}

function readShipping({ shipping, shipping_total, currency }: Order): InvoiceContent['shipping'] {
  if (!shipping && toCents(shipping_total, currency) === 0n) return null;
  const title = shipping?.title ?? 'Shipping';
  return { label: title === 'Shipping' ? title : `Shipping: ${title}`, amount: shipping_total };
}

/** `18` of 9.00 and 9.00. */
function addUpRates(taxes: Order['taxes']): string | null {
  const rates = taxes.map(({ rate }) => rate);
  if (rates.length === 0 || rates.includes(null)) return null;
  return String(Number(rates.reduce((sum, rate) => sum + Number(rate), 0).toFixed(4)));
}

/** With the amounts that they were calculated from: of items and shipping, after discounts. */
function readTaxes(order: Order): InvoiceTax[] {
  const { currency, prices_include_tax, shipping } = order;
  const shipped = shipping ? [{ ...shipping, subtotal: shipping.price }] : [];
  const taxable = new Map<string, bigint>();
  for (const part of [...order.items, ...shipped]) {
    const contained = prices_include_tax ? toCents(part.tax_total, currency) : 0n;
    const net = toCents(part.subtotal, currency) - toCents(part.discount_total, currency) - contained;
    for (const tax of part.taxes) taxable.set(taxKey(tax), (taxable.get(taxKey(tax)) ?? 0n) + net);
  }
  return order.taxes.map(({ name, rate, amount }) => {
    const net = taxable.get(taxKey({ name, rate }));
    return { name, rate, taxable: net === undefined ? null : fromCents(net, currency), amount };
  });
}

const taxKey = ({ name, rate }: { name: string; rate: string | null }) => `${rate} ${name}`;
