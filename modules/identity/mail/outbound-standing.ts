import { type SystemCtx, sql } from '@chowk/kit';

interface Standing {
  readonly is_verified: boolean;
  readonly created_at: string;
}

export async function findStanding({ central, tenant }: SystemCtx): Promise<Standing> {
  return (await central.row<Standing>(sql`
    SELECT t.created_at, EXISTS (
      SELECT FROM memberships m JOIN users u ON u.id = m.user_id
        JOIN roles r ON r.id = m.role_id AND r.tenant_id IS NULL AND r.name = 'Owner'
      WHERE m.tenant_id = t.id AND u.kind = 'person' AND u.disabled_at IS NULL AND u.email_verified_at IS NOT NULL
    ) AS is_verified
    FROM tenants t WHERE t.id = ${tenant.id}`)) as Standing;
}
