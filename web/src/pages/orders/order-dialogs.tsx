import type { OrderDetails } from '@chowk/client';
import { useState } from 'react';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CancelForm } from './cancel-form.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import type { OrderAction } from './order-actions.ts';
import { PaymentForm } from './payment-form.tsx';
import { RefundForm } from './refund-form.tsx';
import { ShipForm } from './ship-form.tsx';
import { useStatusChange } from './use-status-change.ts';

interface OrderDialogsProps {
  readonly order: OrderDetails;
  /** The action that asks something. */
  readonly action: OrderAction | undefined;
  readonly onClose: () => void;
  readonly onDeleted: () => Promise<void>;
}

export function OrderDialogs({ order, action, onClose, onDeleted }: OrderDialogsProps) {
  const { order_number } = order;
  const dialog = (name: OrderAction, title: string, Form: typeof PaymentForm) => (
    <Dialog title={`${title} ${order_number}`} isOpen={action === name} onClose={onClose}>
      <Form order={order} onDone={onClose} />
    </Dialog>
  );
  return (
    <>
      {dialog('record_payment', 'Payment of order', PaymentForm)}
      {dialog('ship', 'Ship order', ShipForm)}
      {dialog('refund', 'Refund order', RefundForm)}
      {dialog('cancel', 'Cancel order', CancelForm)}
      <FailDialog order={order} isOpen={action === 'fail'} onClose={onClose} />
      <DeleteDialog order={order} isOpen={action === 'delete'} onClose={onClose} onDeleted={onDeleted} />
    </>
  );
}

interface FailDialogProps {
  readonly order: OrderDetails;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function FailDialog({ order, isOpen, onClose }: FailDialogProps) {
  const change = useStatusChange();
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    await change(order, 'failed');
    setBusy(false);
    onClose();
  };
  return (
    <ConfirmDialog
      title={`Mark order ${order.order_number} as failed`}
      isOpen={isOpen}
      onClose={onClose}
      action="Mark as failed"
      isBusy={isBusy}
      onConfirm={() => void confirm()}
    >
      The order no longer counts as revenue, and what has not been shipped goes back into the stock.
    </ConfirmDialog>
  );
}
