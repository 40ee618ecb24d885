import { buffer } from 'node:stream/consumers';
import { Answer, type Ctx } from '@chowk/kit';
import { htmlAnswer } from './html-document.ts';
import { getInvoice } from './invoices.ts';
import { findLogo } from './logo.ts';
import { maskParty } from './masking.ts';
import { describeInvoice, describePackingSlip, type Logo, type PrintedDocument } from './printed-document.ts';
import { createSample } from './sample.ts';
import type { DocumentFormat, DocumentQuery, SampleQuery } from './schemas.ts';
import { readBuyer, readRecipient, readSeller } from './snapshot.ts';

export async function printInvoice(ctx: Ctx, { id, format }: DocumentQuery): Promise<Answer> {
  const invoice = await getInvoice(ctx, { id });
  const document = describeInvoice(invoice, await readLogo(ctx, invoice.seller.logo_id));
  return print(document, format, invoice.invoice_number);
}

export async function printPackingSlip(ctx: Ctx, { id, format }: DocumentQuery): Promise<Answer> {
  const order = await ctx.bus.call('orders.getRecord', { id });
  const seller = await readSeller(ctx);
  const document = describePackingSlip(order, seller, {
    at: ctx.now().toISOString(),
    logo: await readLogo(ctx, seller.logo_id),
    recipient: maskParty(ctx, readRecipient(order) ?? readBuyer(order)),
  });
  return print(document, format, `packing-slip-${order.order_number}`);
}

/** Takes no number. */
export async function printSample(ctx: Ctx, { format }: SampleQuery): Promise<Answer> {
  const invoice = await createSample(ctx);
  const document = describeInvoice(invoice, await readLogo(ctx, invoice.seller.logo_id));
  return print(document, format, 'sample-invoice');
}

async function print(document: PrintedDocument, format: DocumentFormat, name: string): Promise<Answer> {
  const fileName = name.replace(/[^\w.-]+/g, '-');
  if (format === 'html') return htmlAnswer(document, fileName);
  const { writePdf } = await import('./pdf/pdf-document.ts');
  return new Answer(await writePdf(document), {
    headers: { 'content-type': 'application/pdf', 'content-disposition': `inline; filename="${fileName}.pdf"` },
  });
}

async function readLogo(ctx: Ctx, id: string | null): Promise<Logo | undefined> {
  const logo = id === null ? undefined : await findLogo(ctx, id);
  return logo && { ...logo, data: await buffer(await ctx.files.read(logo.id)) };
}
