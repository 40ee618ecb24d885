import { action, ById, Nullable, Type } from '@chowk/kit';
import { createCreditNote } from './credit-note.ts';
import { printInvoice, printPackingSlip, printSample } from './documents.ts';
import { getInvoice, getInvoices, invoiceList } from './invoices.ts';
import { issueInvoice } from './issue.ts';
import { findCurrentLogo, removeLogo, replaceLogo } from './logo.ts';
import { DocumentQuery, InvoiceDetails, InvoiceLogo, NewLogo, SampleQuery } from './schemas.ts';

const file = ['application/pdf', 'text/html; charset=utf-8'];

export const actions = {
  'invoices.list': action({
    summary: 'List invoices and credit notes',
    http: 'GET /invoices',
    graphql: 'invoices',
    needs: 'orders.view',
    ...invoiceList.paged,
    runBatch: invoiceList.pages,
  }),
  'invoices.get': action({
    summary: 'Get an invoice or a credit note',
    http: 'GET /invoices/:id',
    graphql: 'invoice',
    needs: 'orders.view',
    input: ById,
    output: InvoiceDetails,
    answer: { key: 'invoice' },
    errors: ['invoices.not_found'],
    run: getInvoice,
    runBatch: getInvoices,
  }),
  'invoices.issue': action({
    summary: 'Issue the invoice of an order',
    description:
      'An order has one invoice: a repeated call returns the same. It has the next number, and never changes. Orders that are ' +
      'pending, cancelled or failed have no invoice.',
    http: 'POST /orders/:id/invoice',
    graphql: 'issueInvoice',
    needs: 'orders.edit',
    input: ById,
    output: InvoiceDetails,
    answer: { key: 'invoice', message: 'Invoice issued.' },
    errors: ['orders.not_found', 'http.precondition_failed', 'invoices.not_invoiced'],
    atomic: true,
    run: issueInvoice,
  }),
  'invoices.createCreditNote': action({
    summary: 'Create a credit note for the refunds of an order',
    description:
      'Credits what has been refunded and not been credited yet: the whole invoice with its lines, or an amount with its share of the taxes.',
    http: 'POST /orders/:id/credit-note',
    graphql: 'createCreditNote',
    needs: 'orders.edit',
    input: ById,
    output: InvoiceDetails,
    answer: { key: 'invoice', message: 'Credit note issued.', status: 201 },
    errors: ['orders.not_found', 'http.precondition_failed', 'invoices.no_invoice', 'invoices.nothing_to_credit'],
    atomic: true,
    run: createCreditNote,
  }),
  'invoices.document': action({
    summary: 'Print an invoice or a credit note',
    description: 'A page for A4 paper. Without customers.view_sensitive, street lines and phones are left out.',
    http: 'GET /invoices/:id/document',
    needs: 'orders.view',
    file,
    input: DocumentQuery,
    errors: ['invoices.not_found'],
    run: printInvoice,
  }),
  'invoices.packingSlip': action({
    summary: 'Print the packing slip of an order',
    description:
      'Items and quantities without prices. Without customers.view_sensitive, street lines and phones are left out.',
    http: 'GET /orders/:id/packing-slip',
    needs: 'orders.view',
    file,
    input: DocumentQuery,
    errors: ['orders.not_found'],
    run: printPackingSlip,
  }),
  'invoices.sample': action({
    summary: 'Print a sample invoice',
    description: 'A made-up order with the settings as they are and the number of the next invoice, which stays free.',
    http: 'GET /invoice-sample',
    needs: 'settings.view',
    file,
    input: SampleQuery,
    run: printSample,
  }),
  'invoices.getLogo': action({
    summary: 'Get the logo on invoices',
    http: 'GET /invoice-logo',
    graphql: 'invoiceLogo',
    needs: 'settings.view',
    output: Type.Object({ logo: Nullable(InvoiceLogo) }),
    run: async (ctx) => ({ logo: await findCurrentLogo(ctx) }),
  }),
  'invoices.setLogo': action({
    summary: 'Upload the logo on invoices',
    description:
      'Stored as PNG with at most 600 pixels on its longer side. Issued invoices keep the logo that they have.',
    http: 'POST /invoice-logo',
    needs: 'settings.edit',
    accepts: 'multipart',
    input: NewLogo,
    output: InvoiceLogo,
    answer: { key: 'logo', message: 'Logo saved.', status: 201 },
    run: replaceLogo,
  }),
  'invoices.deleteLogo': action({
    summary: 'Remove the logo from new invoices',
    http: 'DELETE /invoice-logo',
    graphql: 'deleteInvoiceLogo',
    needs: 'settings.edit',
    answer: { message: 'Logo removed.' },
    run: removeLogo,
  }),
};
