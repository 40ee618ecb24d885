import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { affectedByOrders } from '../../api/affected-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { count } from '../../format/numbers.ts';
import { changeEach } from '../../list/change-each.ts';
import type { Selection } from '../../list/selection.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast.tsx';
import { type Status, statuses } from './status.ts';

/** Cancelling and refunding are decided order by order. */
const offered: readonly Status[] = ['confirmed', 'processing', 'shipped', 'delivered', 'failed'];

/** Changes the status of the selected orders. */
export function BulkStatus({ selection }: { readonly selection: Selection }) {
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const refetch = useRefetch();
  async function change(status: Status): Promise<void> {
    setBusy(true);
    const refused = await changeEach(selection.ids, (id) => api().orders.updateStatus({ id, status }));
    setBusy(false);
    selection.clear();
    toast(describeResult(selection.ids.length - refused.length, refused, status));
    await refetch(...affectedByOrders);
  }
  const trigger = (
    <Button isBusy={isBusy}>
      Change status
      <Icon icon={ChevronDown} />
    </Button>
  );
  if (isBusy) return trigger;
  const choose = (status: Status) => {
    // After the menu has given the focus back.
    if (status === 'failed') setTimeout(() => setAsking(true));
    else void change(status);
  };
  const total = selection.ids.length;
  return (
    <>
      <Menu trigger={trigger} align="start">
        {offered.map((status) => (
          <MenuItem key={status} onSelect={() => choose(status)}>
            {statuses[status].label}
          </MenuItem>
        ))}
      </Menu>
      <ConfirmDialog
        title={total === 1 ? 'Mark this order as failed?' : `Mark ${count(total)} orders as failed?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Mark as failed"
        isBusy={isBusy}
        onConfirm={() => {
          setAsking(false);
          void change('failed');
        }}
      >
        {total === 1 ? 'It no longer counts' : 'They no longer count'} as revenue, and what has not been shipped goes
        back into the stock.
      </ConfirmDialog>
    </>
  );
}

function describeResult(changed: number, refused: readonly string[], status: Status): string {
  const label = statuses[status].label.toLowerCase();
  const done = changed === 0 ? '' : `${count(changed)} ${changed === 1 ? 'order is' : 'orders are'} now ${label}. `;
  return refused.length === 0 ? done.trim() : `${done}${count(refused.length)} could not change: ${refused[0]}`;
}
