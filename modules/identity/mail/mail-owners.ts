import { type SystemCtx, sql } from '@chowk/kit';
import { mailUser } from './mails.ts';

interface Notice {
  readonly subject: string;
  readonly paragraphs: readonly string[];
}

/** Mails the Owners who can sign in, at their verified addresses. */
export async function mailOwners(ctx: SystemCtx, notice: Notice): Promise<void> {
  await ctx.central.tx(async (tx) => {
    const owners = await tx.rows<{ userId: number; name: string; email: string }>(sql`
      SELECT u.id AS "userId", u.name, u.email FROM memberships m JOIN users u ON u.id = m.user_id
        JOIN roles r ON r.id = m.role_id AND r.tenant_id IS NULL AND r.name = 'Owner'
      WHERE m.tenant_id = ${ctx.tenant.id} AND u.kind = 'person' AND u.disabled_at IS NULL AND u.email IS NOT NULL
      ORDER BY u.id`);
    const warning = 'You get this mail because you are an Owner of this organization.';
    for (const owner of owners) await mailUser(ctx, tx, owner, () => ({ ...notice, warning }));
  });
}
