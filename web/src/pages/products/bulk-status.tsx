import type { Product } from '@chowk/client';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { count } from '../../format/numbers.ts';
import { changeEach } from '../../list/change-each.ts';
import type { Selection } from '../../list/selection.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast.tsx';
import { statuses } from './product-list.ts';

type Status = Product['status'];

/** Changes the status of the selected products. */
export function BulkStatus({ selection }: { readonly selection: Selection }) {
  const [isBusy, setBusy] = useState(false);
  const refetch = useRefetch();
  async function change(status: Status): Promise<void> {
    setBusy(true);
    const refused = await changeEach(selection.ids, (id) => api().products.update({ id, status }));
    setBusy(false);
    selection.clear();
    toast(describeResult(selection.ids.length - refused.length, refused, status));
    await refetch(keys.products.all);
  }
  const trigger = (
    <Button isBusy={isBusy}>
      Change status
      <Icon icon={ChevronDown} />
    </Button>
  );
  if (isBusy) return trigger;
  return (
    <Menu trigger={trigger} align="start">
      {Object.entries(statuses).map(([status, { label }]) => (
        <MenuItem key={status} onSelect={() => void change(status as Status)}>
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}

function describeResult(changed: number, refused: readonly string[], status: Status): string {
  const label = statuses[status].label.toLowerCase();
  const done = changed === 0 ? '' : `${count(changed)} ${changed === 1 ? 'product is' : 'products are'} now ${label}. `;
  return refused.length === 0 ? done.trim() : `${done}${count(refused.length)} could not change: ${refused[0]}`;
}
