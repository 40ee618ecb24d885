import type { CannedReply } from '@chowk/client';
import { conversationsLimits } from '@chowk/client';
import { Lock, Pencil, Plus, TextQuote, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';

const limits = conversationsLimits.createCannedReply;
const affects = [keys.conversations.cannedReplies];
type Values = Pick<CannedReply, 'title' | 'body' | 'is_shared'>;

/** Texts that are sent often: those of the team and one's own. */
export function CannedReplies({ onChoose }: { readonly onChoose: (text: string) => void }) {
  const { data } = useApi(keys.conversations.cannedReplies, (client) => client.conversations.listCannedReplies({}));
  const replies = data?.canned_replies ?? [];
  const [isOpen, setOpen] = useState(false);
  const [edited, setEdited] = useState<CannedReply | 'new'>();
  const save = useAction(
    (client, values: Values) =>
      edited === 'new' || edited === undefined
        ? client.conversations.createCannedReply(values)
        : client.conversations.updateCannedReply({ id: edited.id, ...values }),
    { affects, done: ({ message }) => message },
  );
  const remove = useAction((client, id: string) => client.conversations.deleteCannedReply({ id }), {
    affects,
    done: ({ message }) => message,
  });
  const edit = (reply: CannedReply | 'new') => {
    setOpen(false);
    setEdited(reply);
  };
  const trigger = (
    <Button variant="quiet" className="h-8 px-2.5 text-sm max-md:min-w-11">
      <Icon icon={TextQuote} />
      <span className="@max-md:sr-only">Canned replies</span>
    </Button>
  );
  return (
    <>
      <Popover trigger={trigger} label="Canned replies" isOpen={isOpen} onOpenChange={setOpen}>
        <div className="grid gap-1">
          {replies.length === 0 && (
            <p className="pb-2 text-sm text-secondary">Save texts that the team sends often, and insert them here.</p>
          )}
          <ul className="-mx-2 grid max-h-72 grid-cols-1 overflow-y-auto">
            {replies.map((reply) => (
              <li key={reply.id} className="flex items-center">
                <button
                  type="button"
                  className="grid min-w-0 flex-1 rounded-control px-2 py-1.5 text-left hover:bg-sunken"
                  onClick={() => {
                    setOpen(false);
                    onChoose(reply.body);
                  }}
                >
                  <span className="flex items-center gap-1.5 font-medium">
                    <span className="min-w-0 truncate">{reply.title}</span>
                    {!reply.is_shared && <Icon icon={Lock} size={12} label="only for you" />}
                  </span>
                  <span className="truncate text-sm text-secondary">{reply.body}</span>
                </button>
                <IconButton label={`Edit ${reply.title}`} onClick={() => edit(reply)}>
                  <Icon icon={Pencil} size={14} />
                </IconButton>
                <IconButton label={`Delete ${reply.title}`} onClick={() => remove.mutate(reply.id)}>
                  <Icon icon={Trash2} size={14} />
                </IconButton>
              </li>
            ))}
          </ul>
          <Button variant="quiet" className="-ml-3.5 justify-self-start" onClick={() => edit('new')}>
            <Icon icon={Plus} />
            New canned reply
          </Button>
        </div>
      </Popover>
      <Dialog
        title={edited === 'new' ? 'New canned reply' : 'Edit the canned reply'}
        isOpen={edited !== undefined}
        onClose={() => setEdited(undefined)}
      >
        <CannedReplyForm
          reply={edited === 'new' ? undefined : edited}
          isBusy={save.isPending}
          onSave={(values) => save.mutate(values, { onSuccess: () => setEdited(undefined) })}
        />
      </Dialog>
    </>
  );
}

interface CannedReplyFormProps {
  readonly reply: CannedReply | undefined;
  readonly isBusy: boolean;
  readonly onSave: (values: Values) => void;
}

function CannedReplyForm({ reply, isBusy, onSave }: CannedReplyFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [title, body] = ['title', 'body'].map((name) => String(form.get(name)).trim()) as [string, string];
    if (title !== '' && body !== '') onSave({ title, body, is_shared: form.has('is_shared') });
  };
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <Field label="Name">
        {(control) => (
          <Input {...control} name="title" maxLength={limits.title} required autoFocus defaultValue={reply?.title} />
        )}
      </Field>
      <Field label="Text" help="{name} becomes the customer's first name.">
        {(control) => (
          <TextArea {...control} name="body" rows={5} maxLength={limits.body} required defaultValue={reply?.body} />
        )}
      </Field>
      <label className="flex items-center gap-2">
        <input type="checkbox" name="is_shared" className="accent-accent" defaultChecked={reply?.is_shared ?? true} />
        For the whole team
      </label>
      <Button type="submit" variant="primary" isBusy={isBusy} className="justify-self-end">
        Save
      </Button>
    </form>
  );
}
