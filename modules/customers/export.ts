import { type Answer, and, type Ctx, download, inert, sql } from '@chowk/kit';
import { columns, seesAll } from './columns.ts';
import { conditions, orderBy } from './filters.ts';
import type { Customer, CustomerRecord, ExportQuery } from './schemas.ts';

type Row = Customer & Pick<CustomerRecord, 'notes'>;

const text = (value: string | null) => inert(value ?? '');
/** Also one without a plus is no number: a spreadsheet would drop its zeros and write the rest as a power of ten. */
const phone = (value: string | null) => (value === null ? '' : `'${value}`);

/** The columns of the file, in order. */
const csvColumns: Readonly<Record<keyof Row, (row: Row) => string>> = {
  id: ({ id }) => id,
  external_ids: ({ external_ids }) => inert(JSON.stringify(external_ids)),
  email: ({ email }) => text(email),
  phone: (row) => phone(row.phone),
  first_name: ({ first_name }) => text(first_name),
  last_name: ({ last_name }) => text(last_name),
  accepts_marketing: ({ accepts_marketing }) => String(accepts_marketing),
  total_orders: ({ total_orders }) => String(total_orders),
  total_spent: ({ total_spent }) => total_spent,
  avg_order_value: ({ avg_order_value }) => avg_order_value,
  first_order_at: ({ first_order_at }) => first_order_at ?? '',
  last_order_at: ({ last_order_at }) => last_order_at ?? '',
  tags: ({ tags }) => inert(tags.join(',')),
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
  notes: ({ notes }) => text(notes),
};

/** Every customer that the filters find, as of one moment. */
export async function exportCustomers(ctx: Ctx, { format, ...query }: ExportQuery): Promise<Answer> {
  const filters = await conditions(ctx, query);
  const rows = ctx.db.stream<Row>(sql`
    SELECT ${columns(seesAll(ctx))}, c.notes FROM customers c WHERE c.deleted_at IS NULL ${and(filters)}
    ORDER BY ${orderBy(query)}`);
  return download(ctx, { name: 'customers', format, rows, columns: csvColumns });
}
