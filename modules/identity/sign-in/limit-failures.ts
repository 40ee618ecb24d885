import { Failure, type SystemCtx } from '@chowk/kit';
import { isPending } from '../oauth/oauth-errors.ts';

interface Limit {
  readonly key: string;
  readonly perMinute: number;
}

/** Throws 429 if the key has failed too often. Only failures count. */
export async function limitFailures<Result>(
  { system: { limits } }: SystemCtx,
  { key, perMinute }: Limit,
  work: () => Promise<Result>,
): Promise<Result> {
  // `take` throws and counts nothing when the limit is reached.
  if (!limits.has(key, perMinute)) limits.take(key, perMinute);
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.status < 500 && !isPending(error)) limits.take(key, perMinute);
    throw error;
  }
}

/** Against guessing secrets and codes. Higher, because many clients may share a network. */
export function limitPerNetwork(ctx: SystemCtx): Limit {
  return { key: `token ${ctx.client.network}`, perMinute: 10 * ctx.system.options.loginFailuresPerMinute };
}
