import { type Ctx, type Failure, forbidden, invalid } from '@chowk/kit';
import type { Status } from './schemas.ts';

/** What may become of an order in each status. */
export const transitions: Readonly<Record<Status, readonly Status[]>> = {
  pending: ['confirmed', 'processing', 'shipped', 'delivered', 'cancelled', 'failed'],
  confirmed: ['processing', 'shipped', 'delivered', 'cancelled', 'failed', 'refunded'],
  processing: ['shipped', 'delivered', 'cancelled', 'failed', 'refunded'],
  shipped: ['delivered', 'failed', 'refunded'],
  delivered: ['refunded'],
  failed: ['pending', 'confirmed', 'cancelled'],
  cancelled: [],
  refunded: [],
};

/** Statuses that not everybody who edits orders may set. */
const permissions: Partial<Record<Status, string>> = { cancelled: 'orders.cancel', refunded: 'orders.refund' };

/** Refuses a step that the order cannot take, or that the caller may not. */
export function mustBePossible(ctx: Ctx, from: Status, to: Status): void {
  const permission = permissions[to];
  if (permission !== undefined && !ctx.can(permission)) throw forbidden(permission);
  if (!transitions[from].includes(to)) throw impossible(from, to);
}

function impossible(from: Status, to: Status): Failure {
  const possible = transitions[from];
  const rest = possible.length === 0 ? 'nothing else' : possible.join(', ');
  return invalid({ status: [`An order that is ${from} cannot become ${to}; it can become ${rest}.`] });
}
