import { ChowkError } from '@chowk/client';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { affectedByOrders } from '../../api/affected-keys.ts';
import { errorMessage } from '../../api/error-message.ts';
import { useRefetch } from '../../api/use-action.ts';
import { count } from '../../format/numbers.ts';
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
const atOnce = 4;

/** Changes the status of the selected orders. */
export function BulkStatus({ selection }: { readonly selection: Selection }) {
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const refetch = useRefetch();
  async function change(status: Status): Promise<void> {
    setBusy(true);
    const refused = await changeAll(selection.ids, status);
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

/** Returns why orders could not change. */
async function changeAll(ids: readonly string[], status: Status): Promise<readonly string[]> {
  const refused: string[] = [];
  const waiting = [...ids];
  async function work(): Promise<void> {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        await api().orders.updateStatus({ id, status });
      } catch (error) {
        const [problem] = error instanceof ChowkError ? (error.fields.status ?? []) : [];
        refused.push(problem?.message ?? errorMessage(error));
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return refused;
}

function describeResult(changed: number, refused: readonly string[], status: Status): string {
  const label = statuses[status].label.toLowerCase();
  const done = changed === 0 ? '' : `${count(changed)} ${changed === 1 ? 'order is' : 'orders are'} now ${label}. `;
  return refused.length === 0 ? done.trim() : `${done}${count(refused.length)} could not change: ${refused[0]}`;
}
