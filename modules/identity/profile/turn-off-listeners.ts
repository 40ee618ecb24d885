import { type JobTypes, type SystemCtx, sql, systemJob, Type } from '@chowk/kit';

const Takeover = Type.Object({ userId: Type.Integer(), since: Type.String() });
type Takeover = { readonly userId: number; readonly since: string };

export const takeoverJobs = {
  'identity.turn_off_listeners': systemJob({ data: Takeover, retries: [5, 60, 600, 3_600], run: turnOffListeners }),
};

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof takeoverJobs> {}
}

/** Webhooks and rules would go on sending data to the person who took over the account that saved them. */
async function turnOffListeners(ctx: SystemCtx, { userId, since }: Takeover): Promise<void> {
  // The job is added before the transaction that undoes the change is committed.
  if (!(await isUndone(ctx, { userId, since }))) throw new Error('the change of the address is not undone yet');
  const saved = { user_id: userId, since };
  for (const tenantId of await listTenants(ctx, userId)) {
    await ctx.inTenant(tenantId, 'identity.turnOffListeners', async ({ bus }) => {
      await bus.callIfInstalled('webhooks.turnOffSavedBy', saved);
      await bus.callIfInstalled('notifications.turnOffRulesSavedBy', saved);
    });
  }
}

async function isUndone({ central }: SystemCtx, { userId, since }: Takeover): Promise<boolean> {
  const change = await central.row(sql`
    SELECT FROM email_changes WHERE user_id = ${userId} AND requested_at >= ${since} AND undone_at IS NOT NULL`);
  return change !== undefined;
}

async function listTenants({ central }: SystemCtx, userId: number): Promise<string[]> {
  const rows = await central.rows<{ id: string }>(sql`
    SELECT t.id FROM memberships m JOIN tenants t ON t.id = m.tenant_id AND t.status = 'active'
    WHERE m.user_id = ${userId} ORDER BY t.id`);
  return rows.map(({ id }) => id);
}
