import { createHash, timingSafeEqual } from 'node:crypto';
import type { SystemCtx } from '@chowk/kit';
import { fail } from './errors.ts';
import { mustNotBeInstalled } from './installed.ts';
import { mustBeReached, type StepName } from './steps.ts';

/** Admits the holder of the token, where the operator has set one, once all earlier steps are completed. */
export async function admitStep(ctx: SystemCtx, step: StepName): Promise<void> {
  await mustNotBeInstalled(ctx);
  const { installToken } = ctx.system.options;
  if (installToken !== undefined && !isEqual(ctx.client.header('x-install-token') ?? '', installToken)) {
    throw fail('installation.token_required');
  }
  await mustBeReached(ctx, step);
}

/** In constant time. */
function isEqual(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
