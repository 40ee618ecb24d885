import { type OrderDetails, ordersLimits } from '@chowk/client';
import { useState } from 'react';
import { affectedByOrder } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { submit } from '../../form/submission.ts';
import { useForm } from '../../form/use-form.ts';
import { plainAmount, typedAmount } from '../../format/amount.ts';
import { money } from '../../format/numbers.ts';
import { methodName } from '../../format/payment-method.ts';
import { usePaymentMethods } from '../../payments/payment-choices.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';

interface PaymentFormProps {
  readonly order: OrderDetails;
  readonly onDone: () => void;
}

interface Values {
  readonly amount: string;
  readonly method: string;
  readonly reference: string;
}

/** Records money that the customer has paid, by default all that is due. */
export function PaymentForm({ order, onDone }: PaymentFormProps) {
  const { id, order_number, currency, due_total, payments } = order;
  const refetch = useRefetch();
  const methods = usePaymentMethods();
  // A form opened after another payment is a new one, even if the amount is the same.
  const [name] = useState(`payment.${id}.${payments.length}`);
  const form = useForm<Values, 'status'>(async ({ amount, method, reference }) => {
    const input = { id, amount: plainAmount(amount), method, reference: reference.trim() || null };
    const { payment } = await submit(name, api().orders.addPayment, input);
    onDone();
    toast(`Payment of ${money(payment.amount, currency)} for order ${order_number} recorded.`);
    await refetch(...affectedByOrder(order));
  });
  return (
    <form {...form.props} className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      {form.errors.status && <Notice tone="error">{form.errors.status}</Notice>}
      <Field label={`Amount in ${currency}`} help={`${money(due_total, currency)} is due.`} {...form.field('amount')}>
        {(control) => (
          <Input
            {...control}
            inputMode="decimal"
            autoComplete="off"
            autoFocus
            defaultValue={typedAmount(due_total, currency)}
            className="numeric"
          />
        )}
      </Field>
      <Field label="Method" {...form.field('method')}>
        {(control) => (
          <Select {...control}>
            {methods.map((method) => (
              <option key={method} value={method}>
                {methodName(method)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label="Reference"
        help="Optional, for example the number of the payment at the bank."
        {...form.field('reference')}
      >
        {(control) => <Input {...control} autoComplete="off" maxLength={ordersLimits.addPayment.reference} />}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Close</Button>
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Record payment
        </Button>
      </div>
    </form>
  );
}
