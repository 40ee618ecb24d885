import { Failure, type SystemCtx } from '@chowk/kit';
import { isPatience } from '../oauth/oauth-errors.ts';

interface Limit {
  /** Who is to be held back. */
  readonly key: string;
  readonly perMinute: number;
}

/** Does the work unless this one has failed too often of late. Only failures count. */
export async function limitFailures<Result>(
  { system: { limits } }: SystemCtx,
  { key, perMinute }: Limit,
  work: () => Promise<Result>,
): Promise<Result> {
  // Where there is no room, taking refuses and counts nothing.
  if (!limits.has(key, perMinute)) limits.take(key, perMinute);
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.status < 500 && !isPatience(error)) limits.take(key, perMinute);
    throw error;
  }
}

/** Against guessing secrets and codes: many clients may share an address, few of them fail. */
export function perAddress(ctx: SystemCtx): Limit {
  return { key: `token ${ctx.client.network}`, perMinute: 10 * ctx.system.options.loginFailuresPerMinute };
}
