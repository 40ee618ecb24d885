import { smaller } from './amounts.ts';

/** A succeeded payment, in thousandths. */
export interface PaidAmount {
  readonly id: string;
  readonly amount: bigint;
  /** What is more than the order costs. */
  readonly excess: bigint;
  readonly refundedExcess: bigint;
  /** What is refunded of the rest. */
  readonly refunded: bigint;
}

/**
 * Moves amounts between what the order costs and the excess, so that `paid` is at most the total, and as much of it as there is.
 * Refunded amounts stay where they are. `payments` are the oldest first; returns those that change, and the new `paid`.
 */
export function distributeExcess(
  payments: readonly PaidAmount[],
  { total, paid }: { readonly total: bigint; readonly paid: bigint },
): { readonly changed: readonly PaidAmount[]; readonly paid: bigint } {
  const isTooMuch = paid > total;
  let rest = isTooMuch ? paid - total : total - paid;
  const changed = (isTooMuch ? payments.toReversed() : payments).flatMap((payment) => {
    const { amount, excess, refundedExcess, refunded } = payment;
    const moved = smaller(rest, isTooMuch ? amount - excess - refunded : excess - refundedExcess);
    rest -= moved;
    return moved === 0n ? [] : [{ ...payment, excess: isTooMuch ? excess + moved : excess - moved }];
  });
  return { changed, paid: isTooMuch ? total + rest : total - rest };
}
