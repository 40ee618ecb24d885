import { invalid } from '../errors.ts';
import type { Exchange } from './exchange.ts';

/** Checks parameters, query and body against the route's schemas; unknown fields are dropped on the way. */
export function validateInput({ mounted, request }: Exchange): void {
  if (mounted.validateBody && request.body === undefined) request.body = {};
  const { params, query, body } = request;
  const inParams = mounted.validateParams?.(params);
  const inQuery = mounted.validateQuery?.(query);
  const inBody = mounted.validateBody?.(body);
  if (inParams || inQuery || inBody) throw invalid({ ...inParams, ...inQuery, ...inBody });
}
