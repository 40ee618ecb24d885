import { between, byInteger, byTime, type Ctx, equals, type Failure, list, sql, Type, Uuid } from '@chowk/kit';
import { columns, listedColumns } from './columns.ts';
import { fail } from './errors.ts';
import { maskInvoice } from './masking.ts';
import { Invoice, type InvoiceDetails, InvoiceKind } from './schemas.ts';

export const invoiceList = list({
  name: 'invoices',
  row: Invoice,
  from: sql`invoices i`,
  alias: sql`i`,
  columns: listedColumns,
  filters: {
    kind: equals(InvoiceKind, sql`i.kind`),
    invoice_number: equals(Type.String({ maxLength: 100, pattern: '^[^\\p{Cc}\\p{Cs}]*$' }), sql`i.invoice_number`),
    order_id: equals(Uuid, sql`i.order_id`),
    customer_id: equals(Uuid, sql`i.customer_id`),
    ...between('issued', sql`i.issued_at`),
  },
  sorts: { issued_at: byTime(sql`i.issued_at`), invoice_number: byInteger(sql`i.number`) },
});

interface Key {
  readonly id: string;
}

export async function getInvoice(ctx: Ctx, key: Key): Promise<InvoiceDetails> {
  const [invoice] = await getInvoices(ctx, [key]);
  if (!invoice || invoice instanceof Error) throw invoice;
  return invoice;
}

export async function getInvoices(ctx: Ctx, keys: readonly Key[]): Promise<(InvoiceDetails | Failure)[]> {
  const rows = await ctx.db.rows<InvoiceDetails>(
    sql`SELECT ${columns} FROM invoices i WHERE i.id = ANY(${keys.map(({ id }) => id)}::uuid[])`,
  );
  const found = new Map(rows.map((invoice) => [invoice.id, maskInvoice(ctx, invoice)]));
  return keys.map(({ id }) => found.get(id.toLowerCase()) ?? fail('invoices.not_found', { key: id }));
}
