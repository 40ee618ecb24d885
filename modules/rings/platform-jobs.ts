import { type JobTypes, type SystemCtx, systemJob, Type } from '@chowk/kit';
import { getTenant } from './platform-tenants.ts';

const common = { tenantId: Type.String(), operator: Type.String() };

/** What takes minutes. How it ended is in the history. */
export const platformJobs = {
  'rings.move_tenant': systemJob({
    data: Type.Object({ ...common, server: Type.String() }),
    queue: 'build',
    retries: [],
    run: (ctx, { tenantId, server, operator }) =>
      recorded(ctx, { operation: 'move', tenantId, operator, to: server }, () =>
        ctx.system.platform.moveTenant(tenantId, server, (line) =>
          ctx.log.info({ tenant: tenantId }, `moving a tenant: ${line}`),
        ),
      ),
  }),
  'rings.clone_tenant': systemJob({
    data: Type.Object({ ...common, newId: Type.String() }),
    queue: 'build',
    retries: [],
    run: (ctx, { tenantId, newId, operator }) =>
      recorded(ctx, { operation: 'clone', tenantId, operator, to: newId }, () =>
        ctx.system.platform.cloneTenant(tenantId, newId),
      ),
  }),
};

interface Operation {
  readonly operation: 'move' | 'clone';
  readonly tenantId: string;
  readonly operator: string;
  readonly to: string;
}

async function recorded(ctx: SystemCtx, { tenantId, to, ...rest }: Operation, work: () => Promise<unknown>) {
  const { ring, database_server: server } = await getTenant(ctx, { id: tenantId });
  const from_value = rest.operation === 'move' ? server : tenantId;
  const done = { ...rest, ring, tenant_id: tenantId, from_value, to_value: to };
  try {
    await work();
  } catch (error) {
    const reason = (error as Error).message;
    ctx.log.warn({ err: error, tenant: tenantId }, `the ${rest.operation} of a tenant failed: ${reason}`);
    await ctx.system.platform.recordOperation({ ...done, status: 'failed', reason });
    return;
  }
  await ctx.system.platform.recordOperation(done);
}

declare module '@chowk/kit/catalogue' {
  interface Jobs extends JobTypes<typeof platformJobs> {}
}
