import type { Kernel } from '../kernel.ts';
import { replaceLock } from '../packages/replace-lock.ts';
import type { PromotionPlan } from './plan-promotion.ts';
import { Refusal } from './refusal.ts';

/** Rewrites the lock file of the ring. Throws a `Refusal` if the plan has any, unless it is forced. */
export async function promote(
  { central }: Kernel,
  { file, lock, next, report }: PromotionPlan,
  {
    operator,
    reason,
    force,
  }: { readonly operator: string; readonly reason: string | undefined; readonly force: boolean },
): Promise<void> {
  if (!report) return;
  const { alias, ring, from_version, to_version, refusals } = report;
  if (refusals.length > 0 && !force) {
    throw new Refusal(`${alias} ${to_version} was not promoted to ${ring}`, refusals);
  }
  await replaceLock(
    central.db,
    { file, from: lock, to: next },
    {
      operator,
      operation: 'promote',
      ring,
      alias,
      from_value: from_version ?? undefined,
      to_value: to_version,
      forced: refusals.length > 0,
      reason,
      details: { overridden: refusals },
    },
  );
}
