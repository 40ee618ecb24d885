import { type PlatformService, type Promotion, sql } from '@chowk/kit/kernel';
import { Context } from '../context/context.ts';
import type { Kernel } from '../kernel.ts';
import { planPromotion } from '../promotion/plan-promotion.ts';
import { completeNewTenant } from '../promotion/prepare-tenant.ts';
import { promote } from '../promotion/promote.ts';
import { Refusal } from '../promotion/refusal.ts';
import { readDuration } from '../promotion/soak.ts';
import { reloadChannel } from '../rings/ring-reload.ts';
import { exportTenant } from '../tenancy/archive-export.ts';
import { cloneTenant } from '../tenancy/archive-import.ts';
import { moveTenant } from '../tenancy/move-tenant.ts';
import { recordOperation } from '../tenancy/rings.ts';
import { deleteSandbox, fillSandbox, reserveSandbox } from '../tenancy/sandbox.ts';
import { findUnreachable } from '../tenancy/servers.ts';
import { resumeTenant, suspendTenant } from '../tenancy/tenants.ts';
import { archiveServices } from './archive-services.ts';
import { requireOwnRing } from './own-ring.ts';

/** `ctx.system.platform`: what the commands of this folder do, for the console. */
export function platformService(open: () => Kernel): PlatformService {
  return {
    suspend: (tenantId, reason) => suspendTenant(open().central.db, tenantId, reason),
    resume: (tenantId) => resumeTenant(open().central.db, tenantId),
    archiveProblem: (tenantId) => refusal(() => requireOwnRing(open(), tenantId)),
    exportTenant: async (tenantId, file) => exportTenant(await archiveServices(open()), tenantId, file),
    async cloneTenant(tenantId, id) {
      await cloneTenant(await archiveServices(open()), tenantId, { id });
      await completeNewTenant(open(), id);
    },
    reserveSandbox: (db, sandbox) => reserveSandbox(db, open().databases, sandbox),
    async fillSandbox(id, userId) {
      const ctx = new Context(open(), { requestId: 'sandbox', system: true });
      await fillSandbox(await archiveServices(open()), id, async (db) => {
        await ctx.withCentral(db).bus.call('identity.makeOwner', { tenantId: id, userId });
      });
      await completeNewTenant(open(), id);
    },
    deleteSandbox: async (id) => deleteSandbox(await archiveServices(open()), id),
    moveTenant(tenantId, to, onProgress) {
      const { central, databases } = open();
      return moveTenant(central, databases, tenantId, { to, onProgress });
    },
    async planPromotion(request) {
      let report: Promotion | undefined;
      const problem = await refusal(async () => {
        ({ report } = await planPromotion(open(), withSoak(request)));
      });
      return problem ?? report;
    },
    promote: (request, options) =>
      refusal(async () => promote(open(), await planPromotion(open(), withSoak(request)), options)),
    reload: (ring, operator) => requestReload(open(), ring, operator),
    recordOperation: async (operation) => void (await recordOperation(open().central.db, operation)),
    async listJobs(options) {
      const { jobs } = open();
      await jobs.start();
      return jobs.list(options);
    },
    retryJobs: (id) => open().jobs.retryDead(id),
    async listServers() {
      const { servers } = open().central;
      const unreachable = await findUnreachable(servers);
      return servers.map(({ name, weight }) => ({ name, weight, status: unreachable.has(name) ? 'down' : 'up' }));
    },
    figures: () => open().figures,
  };
}

export async function requestReload({ central }: Kernel, ring: string, operator: string): Promise<void> {
  await central.db.tx(async (tx) => {
    await recordOperation(tx, { operator, operation: 'reload', ring });
    await tx.run(sql`SELECT pg_notify(${reloadChannel}, ${ring})`);
  });
}

function withSoak({ soak, ...request }: Parameters<PlatformService['planPromotion']>[0]) {
  const soakMs = soak === undefined ? undefined : readDuration(soak);
  if (soak !== undefined && soakMs === undefined) throw new Error('soak must be at most 90d');
  return { ...request, soakMs };
}

/** Why something cannot be done: the message of an error for operators, which is a plain one. Any other error is a fault. */
async function refusal(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.problems.join('; ');
    if (error instanceof Error && error.constructor === Error) return error.message;
    throw error;
  }
}
