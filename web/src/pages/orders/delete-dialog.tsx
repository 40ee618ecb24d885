import type { Order } from '@chowk/client';
import { useRef, useState } from 'react';
import { affectedByOrder } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { useForm } from '../../form/use-form.ts';
import { money } from '../../format/numbers.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';

interface DeleteDialogProps {
  readonly order: Order;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDeleted: () => Promise<void>;
}

export function DeleteDialog({ order, isOpen, onClose, onDeleted }: DeleteDialogProps) {
  return (
    <Dialog title={`Delete order ${order.order_number}`} isOpen={isOpen} onClose={onClose}>
      <DeleteForm order={order} onClose={onClose} onDeleted={onDeleted} />
    </Dialog>
  );
}

function DeleteForm({ order, onClose, onDeleted }: Omit<DeleteDialogProps, 'isOpen'>) {
  const { id, order_number, items, total, currency } = order;
  const [typed, setTyped] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const refetch = useRefetch();
  const isConfirmed = typed.trim() === order_number;
  const form = useForm(async () => {
    if (!isConfirmed) return field.current?.focus();
    await api().orders.delete({ id });
    onClose();
    toast(`Order ${order_number} deleted.`);
    await onDeleted();
    await refetch(...affectedByOrder(order));
  });
  return (
    <form {...form.props} className="grid gap-4">
      <p className="text-secondary">
        The order with {items.length === 1 ? 'one item' : `${items.length} items`} and a total of{' '}
        {money(total, currency)} disappears from lists and statistics. Units that were not shipped are free again;
        shipped ones do not return to the stock. This cannot be undone, and its number is not used again.
      </p>
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field label={`Enter ${order_number} to confirm`}>
        {(control) => (
          <Input
            {...control}
            ref={field}
            name="confirmation"
            autoComplete="off"
            autoFocus
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Keep order</Button>
        <Button type="submit" variant="danger" isBusy={form.isBusy} disabled={!isConfirmed}>
          Delete order
        </Button>
      </div>
    </form>
  );
}
