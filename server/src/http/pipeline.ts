import { admit } from './admit.ts';
import { authenticate } from './authenticate.ts';
import { authorise } from './authorise.ts';
import { bindToTenant } from './bind-to-tenant.ts';
import type { Step } from './exchange.ts';
import { claimIdempotencyKey } from './idempotency.ts';
import { limitRate } from './limit-rate.ts';
import { run } from './run.ts';
import { validateInput } from './validate-input.ts';

/** What happens to a request, in the order in which it happens. The first two come before: see `server.ts`. */
export const pipeline = {
  /** Before the body is read: who is refused here costs no memory. */
  arrival: [bindToTenant, authenticate, limitRate, authorise] satisfies Step[],
  /** With the body read. */
  body: [claimIdempotencyKey, admit, validateInput] satisfies Step[],
  run,
};
