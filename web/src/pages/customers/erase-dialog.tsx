import type { CustomerDetail } from '@chowk/client';
import { useState } from 'react';
import { affectedByCustomerRemoval } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { errorMessage } from '../../format/error-message.ts';
import { customerName } from '../../people/customer-name.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { counted } from './customer-list.ts';
import { countsText } from './row-counts.ts';

type Mode = 'soft' | 'anonymize' | 'hard';

const modes: readonly { readonly mode: Mode; readonly label: string; readonly help: string }[] = [
  {
    mode: 'soft',
    label: 'Remove from the list',
    help: 'Orders and conversations stay. Email and phone become free for another customer. This cannot be undone.',
  },
  {
    mode: 'anonymize',
    label: 'Erase personal data',
    help: 'Deletes name, contact, addresses, notes and texts in all modules. Orders and amounts stay, without a name.',
  },
  { mode: 'hard', label: 'Delete everything', help: 'Deletes the customer and all records about them.' },
];

const buttons: Readonly<Record<Mode, string>> = {
  soft: 'Remove customer',
  anonymize: 'Erase personal data',
  hard: 'Delete everything',
};

interface EraseDialogProps {
  readonly customer: CustomerDetail;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onGone: () => Promise<void>;
}

export function EraseDialog({ customer, isOpen, onClose, onGone }: EraseDialogProps) {
  return (
    <Dialog title={`Delete or erase ${shortName(customer)}`} isOpen={isOpen} onClose={onClose}>
      <EraseForm customer={customer} onClose={onClose} onGone={onGone} />
    </Dialog>
  );
}

/** Long names would push the rest away. */
function shortName(customer: CustomerDetail): string {
  const name = customerName(customer);
  return name.length > 40 ? `${name.slice(0, 39)}…` : name;
}

function EraseForm({ customer, onClose, onGone }: Omit<EraseDialogProps, 'isOpen'>) {
  const { id } = customer;
  const name = customerName(customer);
  const [mode, setMode] = useState<Mode>('soft');
  const [typed, setTyped] = useState('');
  const counts = useApi(keys.customers.data(id), (client) => client.customers.countData({ id }));
  const erase = useAction((client, chosen: Mode) => client.customers.delete({ id, mode: chosen }), {
    affects: affectedByCustomerRemoval,
    done: ({ message }) => message,
    leave(chosen) {
      onClose();
      return chosen === 'anonymize' ? undefined : onGone();
    },
  });
  const isConfirmed = mode === 'soft' || collapseSpaces(typed) === collapseSpaces(name);
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isConfirmed) return;
        erase.mutate(mode);
      }}
    >
      <fieldset className="grid gap-1">
        <legend className="sr-only">What to delete</legend>
        {modes.map(({ mode: one, label, help }) => (
          <label key={one} className="flex gap-3 rounded-control py-2">
            <input
              type="radio"
              name="mode"
              checked={mode === one}
              onChange={() => setMode(one)}
              className="mt-0.5 size-4 shrink-0 accent-accent"
            />
            <span className="grid gap-0.5">
              <span className="font-medium">{label}</span>
              <span className="text-sm text-secondary">{help}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {mode !== 'soft' && (
        <>
          <Notice tone="warning">
            {mode === 'hard' ? 'Deleted for good: ' : 'Personal fields are cleared in: '}
            {counts.data ? (
              countsText(counts.data.data)
            ) : counts.error ? (
              `the number of records cannot be read. ${errorMessage(counts.error)}`
            ) : (
              <Skeleton className="mt-1 h-4 w-48" />
            )}
            {' This cannot be undone.'}
          </Notice>
          <Field label={`Type “${name}” to confirm`}>
            {(control) => (
              <Input {...control} value={typed} autoComplete="off" onChange={({ target }) => setTyped(target.value)} />
            )}
          </Field>
        </>
      )}
      {mode === 'soft' && customer.total_orders > 0 && (
        <p className="text-sm text-secondary">
          {counted(customer.total_orders, 'order of this customer stays', 'orders of this customer stay')}.
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="danger" isBusy={erase.isPending} disabled={!isConfirmed}>
          {buttons[mode]}
        </Button>
      </div>
    </form>
  );
}

/** As the page shows it. */
function collapseSpaces(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
