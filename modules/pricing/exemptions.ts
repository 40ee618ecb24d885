import { type Ctx, changesBetween, columnsFor, removedFields, sql } from '@chowk/kit';
import { fail } from './errors.ts';
import { type NewTaxExemption, TaxExemption } from './tax-schemas.ts';

type Key = { readonly customer_id: string };

const columns = columnsFor(TaxExemption, sql`e`);

export async function getExemption(ctx: Ctx, { customer_id: id }: Key): Promise<TaxExemption> {
  const exemption = await findExemption(ctx, id);
  if (!exemption) throw fail('pricing.tax_exemption_not_found', { id });
  return exemption;
}

function findExemption(ctx: Ctx, customerId: string): Promise<TaxExemption | undefined> {
  return ctx.db.row<TaxExemption>(sql`SELECT ${columns} FROM tax_exemptions e WHERE customer_id = ${customerId}`);
}

export async function saveExemption(ctx: Ctx, { customer_id, reason }: NewTaxExemption): Promise<TaxExemption> {
  return ctx.tx(async (tx) => {
    await tx.bus.callIfInstalled('customers.lock', { id: customer_id });
    await tx.bus.callIfInstalled('customers.getRecord', { id: customer_id });
    const current = await findExemption(tx, customer_id);
    const now = tx.now();
    const exemption = (await tx.db.row<TaxExemption>(sql`
      INSERT INTO tax_exemptions AS e (customer_id, reason, created_at, updated_at)
      VALUES (${customer_id}, ${reason}, ${now}, ${now})
      ON CONFLICT (customer_id) DO UPDATE SET reason = excluded.reason, updated_at = excluded.updated_at
      RETURNING ${columns}`)) as TaxExemption;
    tx.audit(changesBetween({ is_tax_exempt: current !== undefined }, { is_tax_exempt: true }));
    return exemption;
  });
}

export async function deleteExemption(ctx: Ctx, { customer_id: id }: Key): Promise<void> {
  const removed = await ctx.db.run(sql`DELETE FROM tax_exemptions WHERE customer_id = ${id}`);
  if (removed === 0) throw fail('pricing.tax_exemption_not_found', { id });
  ctx.audit(removedFields({ is_tax_exempt: true }));
}
