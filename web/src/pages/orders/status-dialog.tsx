import type { Order, OrderDetails } from '@chowk/client';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { errorMessage } from '../../format/error-message.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { CancelForm } from './cancel-form.tsx';
import { OrderStatus } from './order-status.tsx';
import { RefundForm } from './refund-form.tsx';
import { nextStatuses, type Status, statuses } from './status.ts';
import { useStatusChange } from './use-status-change.ts';

interface StatusDialogProps {
  /** The order; the dialog is open while there is one. */
  readonly id: string | undefined;
  /** Set if it has been chosen already. */
  readonly status?: Status | undefined;
  readonly onClose: () => void;
}

/** The statuses that an order can change to; a digit chooses one. Cancelling and refunding need a few words more. */
export function StatusDialog({ id, status, onClose }: StatusDialogProps) {
  const { data, error } = useApi(
    keys.orders.detail(id),
    (client) => client.orders.get({ id: id as string }),
    id !== undefined,
  );
  const order = data?.order.id === id ? data?.order : undefined;
  const change = useStatusChange();
  const [picked, pick] = useState<Status>();
  const chosen = picked ?? status;
  const title = chosen === 'cancelled' ? 'Cancel order' : chosen === 'refunded' ? 'Refund order' : 'Status of order';
  function close(): void {
    pick(undefined);
    onClose();
  }
  function choose(order: Order, next: Status): void {
    if (next === 'cancelled' || next === 'refunded') pick(next);
    else {
      close();
      void change(order, next);
    }
  }
  return (
    <Dialog title={`${title} ${order?.order_number ?? ''}`} isOpen={id !== undefined} onClose={close}>
      {!order ? (
        error ? (
          <Notice tone="error">{errorMessage(error)}</Notice>
        ) : (
          <Skeleton className="h-32 w-full" />
        )
      ) : chosen === 'cancelled' ? (
        <CancelForm order={order} onDone={close} />
      ) : chosen === 'refunded' ? (
        <RefundForm order={order} onDone={close} />
      ) : (
        <Choice order={order} onChoose={(next) => choose(order, next)} />
      )}
    </Dialog>
  );
}

interface ChoiceProps {
  readonly order: OrderDetails;
  readonly onChoose: (status: Status) => void;
}

function Choice({ order, onChoose }: ChoiceProps) {
  const next = nextStatuses(order, useCan());
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the digits are shortcuts for the buttons inside
    <div
      className="grid gap-3"
      onKeyDown={({ key }) => {
        const status = /^[1-9]$/.test(key) ? next[Number(key) - 1] : undefined;
        if (status) onChoose(status);
      }}
    >
      <p className="flex items-center gap-2 text-secondary">
        Now <OrderStatus status={order.status} />
      </p>
      {next.length === 0 && <p>You cannot change this status.</p>}
      <ul className="grid gap-1.5">
        {next.map((status, index) => (
          <li key={status}>
            <Button autoFocus={index === 0} className="w-full *:w-full" onClick={() => onChoose(status)}>
              <span className="mr-auto">{statuses[status].verb}</span>
              <kbd className="font-sans text-xs font-normal text-faint">{index + 1}</kbd>
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
