import { type Ctx, defineEvent, type EventTypes, Type } from '@chowk/kit';
import { maskInvoice } from './masking.ts';
import { InvoiceDetails } from './schemas.ts';

const common = {
  payload: Type.Object({ invoice: InvoiceDetails }),
  subject: ({ invoice }: { invoice: InvoiceDetails }) => invoice.order_id,
  needs: 'orders.view',
  mask: (ctx: Ctx, { invoice }: { invoice: InvoiceDetails }) => ({ invoice: maskInvoice(ctx, invoice) }),
};

export const events = {
  'invoice.issued': defineEvent({ ...common, summary: 'An invoice was issued', graphql: 'invoiceIssued' }),
  'credit_note.issued': defineEvent({ ...common, summary: 'A credit note was issued', graphql: 'creditNoteIssued' }),
};

declare module '@chowk/kit/catalogue' {
  interface Events extends EventTypes<typeof events> {}
}
