import { type SystemCtx, systemOperation, Type } from '@chowk/kit';
import type { GraphqlError, GraphqlSubscription } from './engine-types.ts';
import { findLockdownRefusal } from './persisted-request.ts';
import { readOperation } from './read-operation.ts';
import { recordUnregistered } from './unregistered.ts';

/** Only the kernel calls it, in the same process. */
type Accepted = GraphqlSubscription | { readonly errors: readonly GraphqlError[] };

export const operations = {
  'graphql.acceptSubscription': systemOperation({
    summary: 'Accept a subscription',
    description: 'The request of a socket. The rules for persisted queries are those of POST.',
    input: Type.Object({ request: Type.Object({}, { additionalProperties: true }) }),
    output: Type.Unsafe<Accepted>({ type: 'object' }),
    system: true,
    run: subscribe,
  }),
};

async function subscribe(ctx: SystemCtx, { request }: { request: object }): Promise<Accepted> {
  const read = await readOperation(ctx, request);
  if ('problem' in read) return { errors: [{ message: read.problem, extensions: { code: 'BAD_INPUT' } }] };
  if ('refusal' in read) return { errors: [read.refusal] };
  const { operation, unregistered } = read;
  const subscription = await ctx.system.graphql.subscribe(ctx, operation);
  if ('errors' in subscription) return subscription;
  if (unregistered) recordUnregistered(ctx, { ...operation, hash: unregistered });
  const findRefusal: GraphqlSubscription['findRefusal'] = async (one) =>
    (await subscription.findRefusal(one)) ?? findLockdownRefusal(ctx, operation.query);
  return { ...subscription, findRefusal };
}
