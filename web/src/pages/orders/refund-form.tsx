import { type Order, ordersLimits } from '@chowk/client';
import { useState } from 'react';
import { affectedByOrder } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { submit } from '../../form/submission.ts';
import { useForm } from '../../form/use-form.ts';
import { formatCents, parseCents, plainAmount, remainingAmount } from '../../format/amount.ts';
import { money } from '../../format/numbers.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';

interface RefundFormProps {
  readonly order: Order;
  readonly onDone: () => void;
}

interface Values {
  readonly amount: string;
  readonly reason: string;
}

/** Refunds at most what is left, which is checked while the user types. */
export function RefundForm({ order, onDone }: RefundFormProps) {
  const remaining = remainingAmount(order);
  const [amount, setAmount] = useState(remaining);
  const refetch = useRefetch();
  // A form opened after another refund is a new one, even if the amount is the same.
  const [name] = useState(`refund.${order.id}.${order.refunded_total}`);
  const problem = amountProblem(amount, order);
  const cents = parseCents(amount);
  const form = useForm<Values, 'status'>(async ({ reason }) => {
    if (problem !== undefined) return;
    // An order without a price has nothing to refund, but can become refunded.
    const sent = cents === 0n ? {} : { amount: plainAmount(amount) };
    const input = { id: order.id, ...sent, ...(reason ? { reason } : {}) };
    const { order: changed } = await submit(name, api().orders.refund, input);
    onDone();
    const left = money(remainingAmount(changed), order.currency);
    const rest = changed.status === 'refunded' ? 'The order is refunded in full.' : `${left} is left.`;
    toast(`${money(formatCents(cents ?? 0n), order.currency)} of order ${order.order_number} refunded. ${rest}`);
    await refetch(...affectedByOrder(order));
  });
  return (
    <form {...form.props} className="grid gap-4">
      <dl className="numeric grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
        <dt className="text-secondary">Paid</dt>
        <dd className="text-right">{money(order.paid_total, order.currency)}</dd>
        <dt className="text-secondary">Refunded so far</dt>
        <dd className="text-right">{money(order.refunded_total, order.currency)}</dd>
      </dl>
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      {form.errors.status && <Notice tone="error">{form.errors.status}</Notice>}
      <Field
        label={`Amount in ${order.currency}`}
        help={`At most ${money(remaining, order.currency)}. A full refund is final.`}
        {...form.field('amount')}
        error={problem ?? form.errors.amount}
      >
        {(control) => (
          <Input
            {...control}
            inputMode="decimal"
            autoComplete="off"
            autoFocus
            value={amount}
            onChange={({ target }) => setAmount(target.value)}
            className="numeric"
          />
        )}
      </Field>
      <Field label="Reason" help="Optional. It is in the history of the order." {...form.field('reason')}>
        {(control) => <Input {...control} maxLength={ordersLimits.refund.reason} />}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Close</Button>
        <Button type="submit" variant="danger" isBusy={form.isBusy} disabled={problem !== undefined}>
          Refund {problem === undefined && cents !== undefined && money(formatCents(cents), order.currency)}
        </Button>
      </div>
    </form>
  );
}

function amountProblem(amount: string, order: Order): string | undefined {
  const remaining = remainingAmount(order);
  const cents = parseCents(amount);
  if (cents === undefined) return 'Enter an amount, such as 199.50.';
  if (cents === 0n && remaining !== '0.00') return 'The amount must be more than 0.';
  if (cents > (parseCents(remaining) ?? 0n)) {
    return `The amount must be at most ${money(remaining, order.currency)}, which is what is left.`;
  }
  return undefined;
}
