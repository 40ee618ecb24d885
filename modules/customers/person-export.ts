import { Answer, type Ctx, canViewSensitive, sql } from '@chowk/kit';
import { mask, recordColumns } from './columns.ts';
import { missing } from './find.ts';
import type { CustomerRecord, PersonExport } from './schemas.ts';

/** All that is held on a customer, as a file; also on a deleted one. */
export async function exportPerson(ctx: Ctx, { id }: { id: string }): Promise<Answer> {
  const body = await ctx.tx(async (tx): Promise<PersonExport> => {
    const customer = await holdStill(tx, id);
    const data = await tx.personalData.rows(id, { masked: !canViewSensitive(tx) });
    return { exported_at: tx.now().toISOString(), customer: mask(tx, customer), data: data as never };
  });
  return new Answer(body, {
    headers: { 'content-disposition': `attachment; filename="customer-${id.toLowerCase()}.json"` },
  });
}

/** Nothing is written about the customer while its rows are read, so that they fit together. */
async function holdStill(ctx: Ctx, id: string): Promise<CustomerRecord> {
  const customer = await ctx.db.row<CustomerRecord>(sql`
    SELECT ${recordColumns} FROM customers c WHERE id = ${id} FOR SHARE`);
  if (!customer) throw await missing(ctx, id);
  return customer;
}
