import { Readable } from 'node:stream';
import { Answer } from '@chowk/kit';
import { contextOf, type Exchange } from './exchange.ts';
import { limitDownloads } from './limit-downloads.ts';

/** Calls the route's function and turns what it returns into the answer. */
export async function run(exchange: Exchange): Promise<unknown> {
  const { kernel, request, reply, mounted } = exchange;
  const { params, query, body, headers } = request;
  const work = mounted.route.run(contextOf(exchange), { params, query, body, headers });
  // Who has changed an account, a role or a team sees it in the next request; also if it was refused in the end.
  const result = await (changesAccounts(exchange) ? work.finally(() => kernel.signals.caughtUp()) : work);
  reply.status(mounted.route.status ?? 200);
  if (!(result instanceof Answer)) return result;
  if (result.body instanceof Readable) limitDownloads(exchange, result.body);
  if (result.status !== undefined) reply.status(result.status);
  reply.headers(result.headers);
  return result.body;
}

function changesAccounts({ kernel, mounted }: Exchange): boolean {
  const { module, method } = mounted.route;
  return module !== undefined && method !== 'GET' && kernel.systemModules.has(module);
}
