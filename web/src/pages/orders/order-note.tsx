import { type OrderDetails, ordersLimits } from '@chowk/client';
import { useState } from 'react';
import { useCan } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { useForm } from '../../form/use-form.ts';
import { errorMessage } from '../../format/error-message.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { useOrderField } from './order-field.ts';

/** The note, which is edited in its place. */
export function OrderNote({ order }: { readonly order: OrderDetails }) {
  const [isEditing, setEditing] = useState(false);
  const button = useReturnFocus(isEditing);
  const can = useCan();
  const edit = can('orders.edit') && !isEditing && (
    <Button ref={button} variant="quiet" className="-mr-3.5 text-sm" onClick={() => setEditing(true)}>
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

interface Values {
  readonly note: string;
}

function NoteForm({ order, onDone }: NoteFormProps) {
  const { id, order_number, note } = order;
  const save = useOrderField(order, 'note', (latest) =>
    latest.note
      ? `Someone else has changed the note to “${latest.note}”. Save again to replace it.`
      : 'Someone else has removed the note. Save again to add yours.',
  );
  const form = useForm<Values>(
    async ({ note: text }) => {
      await save(text.trim() || null);
      const undo = () => void save(note).catch((error) => toast(errorMessage(error)));
      toast(`Note of order ${order_number} saved.`, { label: 'Undo', run: undo });
      onDone();
    },
    { draft: `order.${id}.note` },
  );
  return (
    <form {...form.props} className="grid gap-2">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <TextArea
        aria-label="Note"
        name={form.field('note').name}
        defaultValue={note ?? ''}
        autoFocus
        maxLength={ordersLimits.update.note}
        rows={4}
        aria-invalid={form.errors.note ? true : undefined}
        aria-describedby={form.errors.note && 'note-error'}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
          if (event.key === 'Escape') onDone();
        }}
      />
      {form.errors.note && (
        <p id="note-error" className="text-xs text-error">
          {form.errors.note}
        </p>
      )}
      <div className="flex items-center gap-2">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Save note
        </Button>
        <Button
          variant="quiet"
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
