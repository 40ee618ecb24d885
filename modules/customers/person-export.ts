import { Answer, type Ctx, sql } from '@chowk/kit';
import { canViewSensitive, mask } from './columns.ts';
import { findAny } from './find.ts';
import type { PersonExport } from './schemas.ts';

/** The lock prevents writes about the customer while its rows are read, so that they are consistent. */
export async function exportPerson(ctx: Ctx, { id }: { readonly id: string }): Promise<Answer> {
  const body = await ctx.tx(async (tx): Promise<PersonExport> => {
    const { customer } = await findAny(tx, id, sql`FOR SHARE`);
    const data = await tx.personalData.rows(id, { masked: !canViewSensitive(tx) });
    return { exported_at: tx.now().toISOString(), customer: mask(tx, customer), data: data as never };
  });
  const file = `attachment; filename="customer-${id.toLowerCase()}.json"`;
  return new Answer(body, { headers: { 'content-disposition': file } });
}
