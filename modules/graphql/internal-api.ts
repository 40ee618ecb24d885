import { type HelpersOf, type SystemCtx, systemHelper, Type } from '@chowk/kit';
import type { GraphqlError, GraphqlSubscription } from './engine-types.ts';
import { readOperation } from './read-operation.ts';
import { recordUnregistered } from './unregistered.ts';

export const helpers = {
  subscribe: systemHelper({
    summary: 'Accept a subscription',
    description: 'The request of a socket. The rules for persisted queries are those of POST.',
    input: Type.Object({ request: Type.Object({}, { additionalProperties: true }) }),
    system: true,
    run: subscribe,
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Helpers {
    graphql: HelpersOf<typeof helpers>;
  }
}

async function subscribe(
  ctx: SystemCtx,
  { request }: { request: object },
): Promise<GraphqlSubscription | { readonly errors: readonly GraphqlError[] }> {
  const read = await readOperation(ctx, request);
  if ('problem' in read) return { errors: [{ message: read.problem, extensions: { code: 'BAD_INPUT' } }] };
  if ('refusal' in read) return { errors: [read.refusal] };
  const { operation, unregistered } = read;
  const subscription = await ctx.system.graphql.subscribe(ctx, operation);
  if (unregistered && 'event' in subscription) recordUnregistered(ctx, { ...operation, hash: unregistered });
  return subscription;
}
