import { type Ctx, sql } from '@chowk/kit';
import { columns } from './columns.ts';
import { fail } from './errors.ts';
import { maskInvoice } from './masking.ts';
import type { InvoiceContent, InvoiceDetails, InvoiceKind } from './schemas.ts';
import { type Order, readBuyer, readContent, readRecipient, readSeller } from './snapshot.ts';

/** An order that is pending or has come to nothing is not a sale. */
const soldStatuses: ReadonlySet<string> = new Set(['confirmed', 'processing', 'shipped', 'delivered', 'refunded']);

/** The order is locked, so that two calls at once get the same invoice. */
export async function issueInvoice(ctx: Ctx, { id }: { id: string }): Promise<InvoiceDetails> {
  const order = await ctx.bus.call('orders.getRecord', { id, lock: true });
  const issued = await findInvoice(ctx, id);
  if (issued) return maskInvoice(ctx, issued);
  if (!soldStatuses.has(order.status)) throw fail('invoices.not_invoiced', order);
  const { 'invoices.number_prefix': prefix, 'invoices.next_number': next } = await ctx.settings();
  const invoice = await insertInvoice(ctx, {
    kind: 'invoice',
    prefix,
    next,
    order,
    total: order.total,
    content: readContent(order),
    corrects: null,
  });
  return maskInvoice(ctx, invoice);
}

export function findInvoice(ctx: Ctx, orderId: string): Promise<InvoiceDetails | undefined> {
  return ctx.db.row<InvoiceDetails>(
    sql`SELECT ${columns} FROM invoices i WHERE order_id = ${orderId} AND kind = 'invoice'`,
  );
}

interface NewInvoice {
  readonly kind: InvoiceKind;
  readonly prefix: string;
  /** At least this number. */
  readonly next: number;
  readonly order: Order;
  readonly total: string;
  readonly content: InvoiceContent;
  readonly corrects: string | null;
}

/** Number and invoice are one statement, the last of the transaction that others wait for. A failure leaves no gap. */
export async function insertInvoice(ctx: Ctx, invoice: NewInvoice): Promise<InvoiceDetails> {
  const { kind, prefix, next, order, total, content, corrects } = invoice;
  const seller = await readSeller(ctx);
  const now = ctx.now();
  const row = (await ctx.db.row<InvoiceDetails>(sql`
    WITH taken AS (
      UPDATE invoice_numbers SET last = greatest(last + 1, ${next}::bigint) WHERE kind = ${kind} RETURNING last),
    i AS (
      INSERT INTO invoices (id, kind, number, invoice_number, order_id, order_number, customer_id, corrects_id, currency, total,
        seller, buyer, ship_to, content, user_id, issued_at, updated_at)
      SELECT ${ctx.newId()}::uuid, ${kind}, last, ${prefix}::text || last, ${order.id}::uuid, ${order.order_number},
        ${order.customer_id}::uuid, ${corrects}::uuid, ${order.currency}, ${total}::numeric, ${seller}::jsonb,
        ${readBuyer(order)}::jsonb, ${readRecipient(order)}::jsonb, ${content}::jsonb, ${ctx.userId ?? null}::bigint,
        ${now}::timestamptz, ${now}::timestamptz
      FROM taken RETURNING *)
    SELECT ${columns} FROM i`)) as InvoiceDetails;
  ctx.audit({ invoice_number: [null, row.invoice_number], total: [null, row.total] });
  await ctx.emit(kind === 'invoice' ? 'invoice.issued' : 'credit_note.issued', { invoice: row });
  return row;
}
