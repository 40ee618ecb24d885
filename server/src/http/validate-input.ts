import { invalid } from '../errors.ts';
import type { FieldErrors } from '../validation.ts';
import type { Exchange } from './exchange.ts';

/** Checks parameters, query and body against the route's schemas; unknown fields are dropped on the way. */
export function validateInput({ mounted, request }: Exchange): void {
  if (mounted.validateBody && request.body === undefined) request.body = {};
  const errors: FieldErrors = {
    ...mounted.validateParams?.(request.params),
    ...mounted.validateQuery?.(request.query),
    ...mounted.validateBody?.(request.body),
  };
  for (const _ in errors) throw invalid(errors);
}
