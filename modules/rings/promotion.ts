import { invalid, type SystemCtx } from '@chowk/kit';
import { fail } from './errors.ts';
import type { Promotion, PromotionRequest } from './platform-schemas.ts';
import { operator } from './platform-tenants.ts';
import { getRing } from './rings.ts';

/** Returns the difference that another version of a module makes and, unless it is only asked for, writes the lock file. */
export async function promoteModule(ctx: SystemCtx, input: PromotionRequest): Promise<Promotion> {
  const { name: to, alias, from, version, soak, force = false, reason } = input;
  if ((from === undefined) === (version === undefined)) {
    throw invalid({ from: 'Give either the ring whose version is taken over or a version.' });
  }
  for (const ring of [to, from ?? to]) await getRing(ctx, { name: ring });
  if (soak !== undefined && from === undefined)
    throw invalid({ soak: 'It needs `from`, the ring that the version has served.' });
  const request = { alias, to, from, version, soak };
  const plan = await ctx.system.platform.planPromotion(request);
  if (plan === undefined)
    throw fail('rings.promotion_refused', { reason: `${to} has this version of ${alias} already` });
  if (typeof plan === 'string') throw fail('rings.promotion_refused', { reason: plan });
  if (!input.dry_run) {
    const problem = await ctx.system.platform.promote(request, { operator: operator(ctx), reason, force });
    if (problem !== undefined) throw fail('rings.promotion_refused', { reason: problem });
  }
  return { ...(structuredClone(plan) as Promotion), alias, ring: to, changed: !input.dry_run };
}

/** The fronts replace the process of the ring, so that it reads its lock file again. */
export async function reloadRing(ctx: SystemCtx, { name }: { readonly name: string }): Promise<void> {
  await getRing(ctx, { name });
  await ctx.system.platform.reload(name, operator(ctx));
}
