import { smaller } from './amounts.ts';
import type { PaymentBalance } from './payment-rows.ts';

/** In thousandths. */
export interface RefundPart {
  /** `null`: paid before payments were recorded. */
  readonly payment: PaymentBalance | null;
  readonly amount: bigint;
  /** How much of it is from the excess of the payment. */
  readonly excess: bigint;
}

export const refundablePart = ({ amount, excess, refunded }: PaymentBalance) => amount - excess - refunded;
export const refundableExcess = ({ excess, refundedExcess }: PaymentBalance) => excess - refundedExcess;

/** Divides a refund over payments, which are the oldest first: the newest is refunded first. */
export function divideRefund(payments: readonly PaymentBalance[], amount: bigint): RefundPart[] {
  let rest = amount;
  const parts = payments.toReversed().map((payment): RefundPart => {
    const part = smaller(rest, refundablePart(payment));
    rest -= part;
    return { payment, amount: part, excess: 0n };
  });
  return [...parts, { payment: null, amount: rest, excess: 0n }].filter((part) => part.amount > 0n);
}
