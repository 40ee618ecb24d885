import { byTime, columnsFor, equals, list, type Sql, type SystemCtx, since, sql, Type, until } from '@chowk/kit';
import { fail } from './errors.ts';
import { type Assignment, type Ring, RingOperation } from './schemas.ts';

/** Resellers hold the permissions as well, but the rings belong to the whole platform. */
export async function mustBePlatformOwner({ tenant }: SystemCtx): Promise<void> {
  if (tenant.role !== 'platform_owner') throw fail('rings.platform_only');
}

/** The most conservative first. */
export function listRings(ctx: SystemCtx): Promise<Ring[]> {
  return readRings(ctx, sql`true`);
}

export async function getRing(ctx: SystemCtx, { name }: { name: string }): Promise<Ring> {
  const [ring] = await readRings(ctx, sql`r.name = ${name}`);
  if (!ring) throw fail('rings.not_found', { ring: name });
  return ring;
}

export async function assignRing(ctx: SystemCtx, { name, tenant_id, reason }: Assignment): Promise<Ring> {
  const { is_active } = await getRing(ctx, { name });
  if (!is_active) throw fail('rings.not_active', { ring: name });
  const { id: tenantId } = await ctx.system.tenants.find(tenant_id);
  const operator = `user ${ctx.user.id}`;
  const refusal = await ctx.system.rings.assign({ tenantId, ring: name, reason, operator });
  if (refusal !== undefined) throw fail('rings.assignment_refused', { reason: refusal });
  return getRing(ctx, { name });
}

async function readRings({ central, system }: SystemCtx, condition: Sql): Promise<Ring[]> {
  const rows = await central.rows<Omit<Ring, 'modules'>>(sql`
    SELECT r.id, r.name, r.display_name, r.description, r.manifest_path, r.k8s_namespace, r.k8s_service, r.hostname_segment,
      r.promotion_order, r.is_active, r.is_default, r.platform_version, r.created_at, r.updated_at,
      (SELECT count(*) FROM tenants t WHERE t.module_ring_id = r.id) AS tenants
    FROM module_rings r WHERE ${condition} ORDER BY r.promotion_order, r.name`);
  return Promise.all(rows.map(async (ring) => ({ ...ring, modules: (await system.rings.versions(ring)) ?? null })));
}

const text = (description: string) => Type.String({ maxLength: 100, description });

export const operationList = list({
  name: 'operations',
  row: RingOperation,
  database: (ctx: SystemCtx) => ctx.central,
  from: sql`ring_operations o`,
  alias: sql`o`,
  idType: 'bigint',
  columns: columnsFor(RingOperation, sql`o`),
  updatedAt: sql`o.at`,
  filters: {
    ring: equals(text('The name of a ring.'), sql`o.ring`),
    tenant_id: equals(text('The id of a tenant.'), sql`o.tenant_id`),
    alias: equals(text('The alias of a module.'), sql`o.alias`),
    operation: equals(text('An operation, such as `assign`.'), sql`o.operation`),
    from: since(sql`o.at`),
    to: until(sql`o.at`),
  },
  sorts: { at: byTime(sql`o.at`) },
});
