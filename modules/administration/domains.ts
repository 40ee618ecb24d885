import type { SystemCtx } from '@chowk/kit';
import type { Domain } from './schemas.ts';

export function listDomains(ctx: SystemCtx): Promise<Domain[]> {
  return ctx.system.domains.list(ctx.tenant.id);
}

export function addDomain(ctx: SystemCtx, { domain }: { domain: string }): Promise<Domain> {
  return ctx.system.domains.add(ctx.tenant.id, domain.toLowerCase());
}

export async function removeDomain(ctx: SystemCtx, input: { domain: string }): Promise<void> {
  const domain = input.domain.toLowerCase();
  await ctx.system.domains.remove(ctx.tenant.id, domain);
  ctx.audit({ domain: [domain, null] });
}
