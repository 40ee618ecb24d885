import { changesBetween, type Db, type Sql, type SystemCtx, sql } from '@chowk/kit';
import { mainDomain } from '../accounts/memberships.ts';
import { record } from '../activity/activity.ts';
import type { Organization, OrganizationChanges } from './organization-schemas.ts';

export function getOrganization(ctx: SystemCtx): Promise<Organization> {
  return readOrganization(ctx, ctx.central);
}

/** The id and the domains stay as they are. */
export function renameOrganization(ctx: SystemCtx, { name }: OrganizationChanges): Promise<Organization> {
  return ctx.central.tx(async (tx) => {
    const current = await readOrganization(ctx, tx, sql`FOR UPDATE OF t`);
    ctx.mustMatch(current);
    if (name === undefined || name === current.name) return current;
    await tx.run(sql`UPDATE tenants SET name = ${name}, updated_at = now() WHERE id = ${current.id}`);
    await record(
      ctx,
      { action: 'organization_renamed', subjectId: null, details: { from: current.name, to: name } },
      tx,
    );
    ctx.audit(changesBetween<Organization>(current, { name }));
    return readOrganization(ctx, tx);
  });
}

async function readOrganization({ tenant, system }: SystemCtx, db: Db, lock: Sql = sql``): Promise<Organization> {
  const row = await db.row<Organization>(sql`
    SELECT t.id, t.name, ${mainDomain} || ${`.${system.baseDomain}`} AS domain, t.created_at, t.updated_at
    FROM tenants t WHERE t.id = ${tenant.id} ${lock}`);
  return row as Organization;
}
