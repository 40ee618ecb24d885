import type { Conversation } from '@chowk/client';
import { useState } from 'react';
import { affectedByConversation } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { customerName } from '../../people/customer-name.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ReadError } from '../../ui/read-error.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { channels, statuses } from './conversation-list.ts';

interface MergeDialogProps {
  readonly conversation: Conversation;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Moves the messages of another conversation of the customer to this one. */
export function MergeDialog({ conversation, isOpen, onClose }: MergeDialogProps) {
  return (
    <Dialog title="Merge another conversation" isOpen={isOpen} onClose={onClose}>
      <MergeForm conversation={conversation} onClose={onClose} />
    </Dialog>
  );
}

const maxOthers = 50;

function MergeForm({ conversation, onClose }: Omit<MergeDialogProps, 'isOpen'>) {
  const { id, customer_id, customer } = conversation;
  const [chosen, setChosen] = useState<string>();
  const { data, error } = useApi(keys.conversations.mergeable(customer_id), (client) =>
    client.conversations.list({ customer_id, per_page: maxOthers }),
  );
  const merge = useAction((client, other: string) => client.conversations.merge({ id, conversation_id: other }), {
    affects: affectedByConversation(id),
    done: () => 'Conversations merged.',
  });
  if (error && !data) return <ReadError error={error} />;
  if (!data) return <Skeleton className="h-24 w-full" />;
  const others = data.conversations.filter((one) => one.id !== id);
  if (others.length === 0) {
    return <p className="break-words text-secondary">{customerName(customer)} has no other conversation.</p>;
  }
  return (
    <form
      className="grid grid-cols-1 gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== undefined) merge.mutate(chosen, { onSuccess: onClose });
      }}
    >
      <p className="text-secondary">
        The messages of the other conversation move here, and it is gone afterwards. This cannot be undone.
      </p>
      <fieldset className="-mx-2 max-h-[50vh] overflow-y-auto">
        <legend className="sr-only">Other conversations of {customerName(customer)}</legend>
        {others.map((other) => (
          <Choice key={other.id} conversation={other} isChosen={other.id === chosen} onChoose={setChosen} />
        ))}
      </fieldset>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={chosen === undefined} isBusy={merge.isPending}>
          Merge
        </Button>
      </div>
    </form>
  );
}

interface ChoiceProps {
  readonly conversation: Conversation;
  readonly isChosen: boolean;
  readonly onChoose: (id: string) => void;
}

function Choice({ conversation, isChosen, onChoose }: ChoiceProps) {
  const { id, subject, channel, status, last_message, last_message_at } = conversation;
  return (
    <label className="flex gap-3 rounded-control px-2 py-2 has-checked:bg-accent-tint has-checked:[--faint:var(--secondary)]">
      <input
        type="radio"
        name="other"
        checked={isChosen}
        onChange={() => onChoose(id)}
        className="size-4 shrink-0 self-center accent-accent"
      />
      <span className="grid min-w-0 flex-1 grid-cols-1 text-sm">
        <span className="truncate font-medium">{subject || last_message?.excerpt || 'No messages'}</span>
        <span className="text-secondary">
          {channels[channel].label} · {statuses[status].label} · <RelativeTime time={last_message_at} />
        </span>
      </span>
    </label>
  );
}
