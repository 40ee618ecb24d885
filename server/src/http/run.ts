import { Answer } from '@chowk/kit';
import { Context } from '../context.ts';
import type { Exchange } from './exchange.ts';

/** Calls the route's function and turns what it returns into the answer. */
export async function run({ kernel, request, reply, mounted, tenant, caller, membership }: Exchange): Promise<unknown> {
  const ctx = new Context(kernel, {
    requestId: request.id,
    module: mounted.route.module,
    tenant,
    user: caller,
    membership,
    client: { address: request.ip, userAgent: request.headers['user-agent'] },
  });
  const { params, query, body, headers } = request;
  const result = await mounted.route.run(ctx, { params, query, body, headers });
  reply.status(mounted.route.status ?? 200);
  if (!(result instanceof Answer)) return result;
  if (result.status !== undefined) reply.status(result.status);
  reply.headers(result.headers);
  return result.body;
}
