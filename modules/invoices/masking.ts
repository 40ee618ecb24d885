import type { Ctx } from '@chowk/kit';
import type { InvoiceDetails, InvoiceParty } from './schemas.ts';

/** Hides street lines and phones from users without `customers.view_sensitive`. */
export function maskInvoice(ctx: Ctx, invoice: InvoiceDetails): InvoiceDetails {
  const { buyer, ship_to } = invoice;
  return { ...invoice, buyer: maskParty(ctx, buyer), ship_to: ship_to && maskParty(ctx, ship_to) };
}

export function maskParty(ctx: Ctx, party: InvoiceParty): InvoiceParty {
  return ctx.can('customers.view_sensitive') ? party : { ...party, address1: null, address2: null, phone: null };
}
