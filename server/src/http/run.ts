import { Answer } from '@chowk/kit';
import { contextOf, type Exchange } from './exchange.ts';

/** Calls the route's function and turns what it returns into the answer. */
export async function run(exchange: Exchange): Promise<unknown> {
  const { request, reply, mounted } = exchange;
  const { params, query, body, headers } = request;
  const result = await mounted.route.run(contextOf(exchange), { params, query, body, headers });
  reply.status(mounted.route.status ?? 200);
  if (!(result instanceof Answer)) return result;
  if (result.status !== undefined) reply.status(result.status);
  reply.headers(result.headers);
  return result.body;
}
