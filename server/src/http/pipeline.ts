import type { Step } from './exchange.ts';
import { claimIdempotencyKey } from './idempotency.ts';
import { run } from './run.ts';
import { authenticate, bindToTenant, limitRate, mayCall } from './steps.ts';

/** What happens to a request, in the order in which it happens. The first two come before: see `server.ts`. */
export const pipeline = {
  /** Before the body is read: a request that is refused here costs no memory. */
  arrival: [bindToTenant, authenticate, limitRate, mayCall] satisfies Step[],
  /** With the body read. */
  body: [claimIdempotencyKey] satisfies Step[],
  /** Input, action, answer. */
  run,
};
