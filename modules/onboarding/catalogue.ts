import { type Ctx, type SystemCtx, sql } from '@chowk/kit';

interface Family {
  readonly parentId: string;
  readonly tenantId: string;
}

/** Copies the mandatory products of a reseller to one of its tenants, and later their changes. */
export async function copyCatalogue(ctx: SystemCtx, { parentId, tenantId }: Family): Promise<void> {
  const products = await ctx.inTenant(parentId, 'onboarding.readCatalogue', (parent) =>
    parent.bus.callIfInstalled('products.listMandatory', {}),
  );
  if (!products) return;
  await ctx.inTenant(tenantId, 'onboarding.copyCatalogue', async (child) => {
    await child.bus.callIfInstalled('products.copyMandatory', { products });
  });
}

/** The available tenants that were created with a referral code of this one. */
export async function listChildren(ctx: SystemCtx): Promise<string[]> {
  const rows = await ctx.central.rows<{ id: string }>(sql`
    SELECT a.tenant_id AS id FROM reseller_applications a JOIN tenants t ON t.id = a.tenant_id
    WHERE a.parent_tenant_id = ${ctx.tenant.id} AND a.status = 'completed' AND t.status = 'active' ORDER BY 1`);
  return rows.map(({ id }) => id);
}

/** Called after a mandatory product of a tenant has changed. */
export async function onMandatoryChanged(ctx: Ctx): Promise<void> {
  const system = ctx as SystemCtx;
  for (const tenantId of await listChildren(system)) {
    await system.jobs.add('onboarding.copy_catalogue', { parentId: ctx.tenant.id, tenantId });
  }
}
