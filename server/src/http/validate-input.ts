import { invalid } from '../errors.ts';
import type { Exchange } from './exchange.ts';

/** Checks parameters, query and body against the route's schemas; unknown fields are dropped on the way. */
export function validateInput({ mounted, request }: Exchange): void {
  if (mounted.validateBody && request.body === undefined) request.body = {};
  const { params, query, body } = request;
  unbracket(query as Record<string, unknown>);
  const inParams = mounted.validateParams?.(params);
  const inQuery = mounted.validateQuery?.(query);
  const inBody = mounted.validateBody?.(body);
  if (inParams || inQuery || inBody) throw invalid({ ...inParams, ...inQuery, ...inBody });
}

/** Many clients write a list as `tags[]=a&tags[]=b`. */
function unbracket(query: Record<string, unknown>): void {
  for (const name of Object.keys(query)) {
    if (!name.endsWith('[]')) continue;
    const plain = name.slice(0, -2);
    query[plain] ??= query[name];
    delete query[name];
  }
}
