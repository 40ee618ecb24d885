import type { OrderDetails } from '@chowk/client';
import { useState } from 'react';
import { useRefresh } from '../../api-action.ts';
import { useCan } from '../../api-query.ts';
import { messageOf, useForm } from '../../form.ts';
import { api } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';

/** The note, which is edited in its place. */
export function OrderNote({ order }: { readonly order: OrderDetails }) {
  const [isEditing, setEditing] = useState(false);
  const can = useCan();
  const edit = can('orders.edit') && !isEditing && (
    <Button look="quiet" className="-mr-3.5 text-sm" onClick={() => setEditing(true)}>
      {order.note ? 'Edit note' : 'Add note'}
    </Button>
  );
  return (
    <Section title="Note" actions={edit}>
      {isEditing ? (
        <NoteForm order={order} onDone={() => setEditing(false)} />
      ) : (
        <p className={`break-words whitespace-pre-wrap ${order.note ? '' : 'text-secondary'}`}>
          {order.note ?? 'No note.'}
        </p>
      )}
    </Section>
  );
}

interface NoteFormProps {
  readonly order: OrderDetails;
  readonly onDone: () => void;
}

function NoteForm({ order: { id, order_number, note }, onDone }: NoteFormProps) {
  const refresh = useRefresh();
  const save = async (text: string | null) => {
    await api().orders.update({ id, note: text });
    await refresh('orders');
  };
  const form = useForm(
    async ({ note: text }) => {
      await save(text?.trim() || null);
      const undo = () => void save(note).catch((error) => toast(messageOf(error)));
      toast(`The note of order ${order_number} is saved.`, { label: 'Undo', run: undo });
      onDone();
    },
    { draft: `order.${id}.note` },
  );
  return (
    <form {...form.props} className="grid gap-2">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <TextArea
        aria-label="Note"
        name="note"
        defaultValue={note ?? ''}
        autoFocus
        maxLength={20_000}
        rows={4}
        aria-invalid={form.errors.note ? true : undefined}
        aria-describedby={form.errors.note && 'note-error'}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
          if (event.key === 'Escape') {
            form.discard();
            onDone();
          }
        }}
      />
      {form.errors.note && (
        <p id="note-error" className="text-xs text-error">
          {form.errors.note}
        </p>
      )}
      <div className="flex items-center gap-2">
        <Button type="submit" look="primary" isBusy={form.isBusy}>
          Save note
        </Button>
        <Button
          look="quiet"
          onClick={() => {
            form.discard();
            onDone();
          }}
        >
          Discard
        </Button>
        {form.isRestored && <span className="text-xs text-secondary">Not saved yet.</span>}
      </div>
    </form>
  );
}
