import { type OrderDetails, type OrderPayment, ordersLimits } from '@chowk/client';
import { useState } from 'react';
import { affectedByOrder } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { submit } from '../../form/submission.ts';
import { useForm } from '../../form/use-form.ts';
import {
  currencyDecimals,
  fromThousandths,
  isPayable,
  plainAmount,
  remainingAmount,
  toThousandths,
  typedAmount,
} from '../../format/amount.ts';
import { money } from '../../format/numbers.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { listLeftToRefund, priceUnits } from './order-units.ts';
import { describeMethod } from './payment-method.ts';
import { UnitFields, useChosenUnits } from './unit-fields.tsx';

interface RefundFormProps {
  readonly order: OrderDetails;
  /** The payment that is chosen first. */
  readonly paymentId?: string | undefined;
  readonly onDone: () => void;
}

interface Values {
  readonly amount: string;
  readonly reason: string;
}

type OtherName = 'status' | 'payment_id' | 'items' | `items.${number}.quantity`;

/** Refunds items or an amount, at most what is left, which is checked while the user types. */
export function RefundForm({ order, paymentId: firstPayment = '', onDone }: RefundFormProps) {
  const { id, order_number, currency, track_stock } = order;
  const left = listLeftToRefund(order);
  const chosen = useChosenUnits(left, 'none');
  const [paymentId, setPayment] = useState(firstPayment);
  const most = refundable(order, paymentId);
  const [typed, setTyped] = useState<string>();
  const [isRestocked, setRestocked] = useState(false);
  const refetch = useRefetch();
  // A form opened after another refund is a new one, even if the amount is the same.
  const [name] = useState(`refund.${id}.${order.refunded_total}`);
  const hasItems = chosen.units.length > 0;
  const amount = typed ?? typedAmount(hasItems ? smaller(priceUnits(order, chosen.units), most) : most, currency);
  const problem = amountProblem(amount, most, currency);
  const isAll = toThousandths(amount) === toThousandths(remainingAmount(order));
  const canRestock = track_stock && left.length > 0 && (hasItems || isAll);
  const canSend = problem === undefined && chosen.isValid;
  const form = useForm<Values, OtherName>(async ({ reason }) => {
    if (!canSend) return;
    const input = {
      id,
      // An order without a price has nothing to refund, but can become refunded.
      ...(toThousandths(amount) === 0n ? {} : { amount: plainAmount(amount) }),
      ...(hasItems ? { items: chosen.units } : {}),
      ...(canRestock && isRestocked ? { restock: true } : {}),
      ...(paymentId === '' ? {} : { payment_id: paymentId }),
      ...(reason ? { reason } : {}),
    };
    const { order: changed } = await submit(name, api().orders.refund, input);
    onDone();
    const rest =
      changed.status === 'refunded'
        ? 'The order is refunded in full.'
        : `${money(remainingAmount(changed), currency)} is left.`;
    toast(`${money(amount, currency)} of order ${order_number} refunded. ${rest}`);
    await refetch(...affectedByOrder(order), keys.products.all);
  });
  return (
    <form {...form.props} className="grid gap-4">
      <dl className="numeric grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
        <dt className="text-secondary">Paid</dt>
        <dd className="text-right">{money(order.paid_total, currency)}</dd>
        <dt className="text-secondary">Refunded so far</dt>
        <dd className="text-right">{money(order.refunded_total, currency)}</dd>
      </dl>
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      {form.errors.status && <Notice tone="error">{form.errors.status}</Notice>}
      {left.length > 0 && <UnitFields label="Items" order={order} left={left} chosen={chosen} errors={form.errors} />}
      {canRestock && (
        <Checkbox
          label={hasItems ? 'Put these items back into the stock' : 'Put all items back into the stock'}
          checked={isRestocked}
          onChange={({ target }) => setRestocked(target.checked)}
        />
      )}
      <PaymentChoice order={order} value={paymentId} error={form.errors.payment_id} onChange={setPayment} />
      <Field
        label={`Amount in ${currency}`}
        help={`At most ${money(most, currency)}. A full refund is final.`}
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
            onChange={({ target }) => setTyped(target.value)}
            className="numeric"
          />
        )}
      </Field>
      <Field label="Reason" help="Optional. It is in the history of the order." {...form.field('reason')}>
        {(control) => <Input {...control} maxLength={ordersLimits.refund.reason} />}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Close</Button>
        <Button type="submit" variant="danger" isBusy={form.isBusy} disabled={!canSend}>
          Refund {problem === undefined && money(plainAmount(amount), currency)}
        </Button>
      </div>
    </form>
  );
}

interface PaymentChoiceProps {
  readonly order: OrderDetails;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (id: string) => void;
}

/** Without a choice, the newest payments are refunded first. */
function PaymentChoice({ order, value, error, onChange }: PaymentChoiceProps) {
  const payments = order.payments.filter((payment) => paymentLeft(payment) > 0n);
  if (payments.length < 2 && value === '') return null;
  return (
    <Field label="Payment" name="payment_id" error={error}>
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">The newest first</option>
          {payments.map((payment) => (
            <option key={payment.id} value={payment.id}>
              {describeMethod(payment)}, {money(payment.amount, order.currency)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

export function paymentLeft({ status, amount, refunded_total }: OrderPayment): bigint {
  return status === 'succeeded' ? (toThousandths(amount) ?? 0n) - (toThousandths(refunded_total) ?? 0n) : 0n;
}

/** What can be refunded of the order, or of one payment with what was paid too much. */
function refundable(order: OrderDetails, paymentId: string): string {
  const payment = order.payments.find(({ id }) => id === paymentId);
  return payment ? fromThousandths(paymentLeft(payment), order.currency) : remainingAmount(order);
}

function smaller(one: string, other: string): string {
  return (toThousandths(one) ?? 0n) < (toThousandths(other) ?? 0n) ? one : other;
}

function amountProblem(amount: string, most: string, currency: string): string | undefined {
  const thousandths = toThousandths(amount);
  if (thousandths === undefined || !isPayable(thousandths, currency)) {
    return `Enter an amount, such as ${typedAmount(currencyDecimals(currency) === 0 ? '199.00' : '199.50', currency)}.`;
  }
  if (thousandths === 0n && toThousandths(most) !== 0n) return 'The amount must be more than 0.';
  if (thousandths > (toThousandths(most) ?? 0n)) {
    return `The amount must be at most ${money(most, currency)}, which is what is left.`;
  }
  return undefined;
}
