import { type Order, ordersLimits } from '@chowk/client';
import { affectedByOrder } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useForm } from '../../form/use-form.ts';
import { isPositive, remainingAmount } from '../../format/amount.ts';
import { money } from '../../format/numbers.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';

interface OrderFormProps {
  readonly order: Order;
  readonly onDone: () => void;
}

interface Values {
  readonly reason: string;
}

export function CancelForm({ order, onDone }: OrderFormProps) {
  const refetch = useRefetch();
  const remaining = remainingAmount(order);
  const form = useForm<Values, 'status'>(async ({ reason }) => {
    await api().orders.cancel({ id: order.id, ...(reason ? { reason } : {}) });
    onDone();
    toast(`Order ${order.order_number} cancelled.`);
    await refetch(...affectedByOrder(order));
  });
  return (
    <form {...form.props} className="grid gap-4">
      <p className="text-secondary">
        The order of {money(order.total, order.currency)} no longer counts as revenue. A cancelled order is final.
        {isPositive(remaining) && ` ${money(remaining, order.currency)} was paid: refund it afterwards.`}
      </p>
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      {form.errors.status && <Notice tone="error">{form.errors.status}</Notice>}
      <Field label="Reason" help="Optional. It is in the history of the order." {...form.field('reason')}>
        {(control) => <Input {...control} maxLength={ordersLimits.cancel.reason} autoFocus />}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Keep order</Button>
        <Button type="submit" variant="danger" isBusy={form.isBusy}>
          Cancel order
        </Button>
      </div>
    </form>
  );
}
