import { type OrderDetails, ordersLimits, type Shipment } from '@chowk/client';
import { affectedByOrder } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useForm } from '../../form/use-form.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { unitsText } from './order-units.ts';

interface CancelShipmentFormProps {
  readonly order: OrderDetails;
  readonly shipment: Shipment;
  readonly number: number;
  readonly onDone: () => void;
}

export function CancelShipmentForm({ order, shipment, number, onDone }: CancelShipmentFormProps) {
  const refetch = useRefetch();
  const form = useForm<{ reason: string }>(async ({ reason }) => {
    await api().orders.cancelShipment({ id: order.id, shipment: shipment.id, ...(reason ? { reason } : {}) });
    onDone();
    toast(`Parcel ${number} cancelled.`);
    await refetch(...affectedByOrder(order), keys.products.all);
  });
  const isClosed = ['cancelled', 'failed', 'refunded'].includes(order.status);
  return (
    <form {...form.props} className="grid gap-4">
      <p className="break-words text-secondary">
        {unitsText(order.items, shipment.items)}: these units go back into the stock
        {isClosed ? '.' : ' and are reserved for this order, so that they can be shipped again.'} This cannot be undone.
      </p>
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label="Reason" help="Optional. It is in the history of the order." {...form.field('reason')}>
        {(control) => <Input {...control} maxLength={ordersLimits.cancelShipment.reason} autoFocus />}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Keep parcel</Button>
        <Button type="submit" variant="danger" isBusy={form.isBusy}>
          Cancel parcel
        </Button>
      </div>
    </form>
  );
}
