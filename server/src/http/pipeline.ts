import { authenticate } from './authenticate.ts';
import { authorizeRequest } from './authorize-request.ts';
import { bindTenant } from './bind-tenant.ts';
import type { Step } from './exchange.ts';
import { limitNetwork, limitRate } from './rate-limit.ts';
import { runAction } from './run-action.ts';

/** The steps of a request, in order. Response headers and CORS come before them, in `server.ts`. */
export const pipeline = {
  /** Run before the body is read, so that a refused request costs no memory. */
  beforeBody: [limitNetwork, bindTenant, authenticate, limitRate, authorizeRequest] satisfies Step[],
  /** Reads the input, runs the action, once for each idempotency key, and builds the response body. */
  runAction,
};
