import type { OrderDetails } from '@chowk/client';
import { useState } from 'react';
import { useCan } from '../../api/use-api.ts';
import { Button } from '../../ui/button.tsx';
import { nextStatuses, type Status, statuses } from './status.ts';
import { StatusDialog } from './status-dialog.tsx';
import { useStatusChange } from './use-status-change.ts';

const asked: readonly Status[] = ['cancelled', 'refunded'];

/** The possible next steps of an order, the usual one first. */
export function StatusButtons({ order }: { readonly order: OrderDetails }) {
  const [asking, ask] = useState<Status>();
  const [changing, setChanging] = useState<Status>();
  const change = useStatusChange();
  const next = nextStatuses(order, useCan());
  if (next.length === 0) return null;
  const choose = async (status: Status) => {
    setChanging(status);
    await change(order, status);
    setChanging(undefined);
  };
  return (
    <div className="-mt-2 flex flex-wrap gap-2">
      {next.map((status, index) => (
        <Button
          key={status}
          variant={index === 0 && !asked.includes(status) && status !== 'failed' ? 'primary' : 'secondary'}
          isBusy={changing === status}
          onClick={() => (asked.includes(status) ? ask(status) : void choose(status))}
        >
          {statuses[status].verb}
        </Button>
      ))}
      <StatusDialog id={asking && order.id} status={asking} onClose={() => ask(undefined)} />
    </div>
  );
}
