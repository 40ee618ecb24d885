import { Pencil, Plus, TextQuote, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useStored } from '../../session/stored.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Popover } from '../../ui/popover.tsx';

interface CannedReply {
  readonly title: string;
  readonly text: string;
}

/** Texts that are sent often, kept in this browser. */
export function CannedReplies({ onChoose }: { readonly onChoose: (text: string) => void }) {
  const [replies, setReplies] = useStored<readonly CannedReply[]>('canned-replies', []);
  const [isOpen, setOpen] = useState(false);
  const [edited, setEdited] = useState<number>();
  const trigger = (
    <Button variant="quiet" className="h-8 px-2.5 text-sm max-md:min-w-11">
      <Icon icon={TextQuote} />
      <span className="@max-md:sr-only">Canned replies</span>
    </Button>
  );
  const edit = (index: number) => {
    setOpen(false);
    setEdited(index);
  };
  return (
    <>
      <Popover trigger={trigger} label="Canned replies" isOpen={isOpen} onOpenChange={setOpen}>
        <div className="grid gap-1">
          {replies.length === 0 && (
            <p className="pb-2 text-sm text-secondary">Save texts that you send often, and insert them here.</p>
          )}
          <ul className="-mx-2 grid grid-cols-1">
            {replies.map(({ title, text }, index) => (
              <li key={title} className="flex items-center">
                <button
                  type="button"
                  className="grid min-w-0 flex-1 rounded-control px-2 py-1.5 text-left hover:bg-sunken"
                  onClick={() => {
                    setOpen(false);
                    onChoose(text);
                  }}
                >
                  <span className="truncate font-medium">{title}</span>
                  <span className="truncate text-sm text-secondary">{text}</span>
                </button>
                <IconButton label={`Edit ${title}`} onClick={() => edit(index)}>
                  <Icon icon={Pencil} size={14} />
                </IconButton>
                <IconButton
                  label={`Delete ${title}`}
                  onClick={() => setReplies(replies.filter((_, at) => at !== index))}
                >
                  <Icon icon={Trash2} size={14} />
                </IconButton>
              </li>
            ))}
          </ul>
          <Button variant="quiet" className="-ml-3.5 justify-self-start" onClick={() => edit(replies.length)}>
            <Icon icon={Plus} />
            New canned reply
          </Button>
        </div>
      </Popover>
      <Dialog
        title={edited !== undefined && replies[edited] ? 'Edit the canned reply' : 'New canned reply'}
        isOpen={edited !== undefined}
        onClose={() => setEdited(undefined)}
      >
        <CannedReplyForm
          reply={edited === undefined ? undefined : replies[edited]}
          onSave={(reply) => {
            const others = replies.filter((one, at) => at !== edited && one.title !== reply.title);
            setReplies([...others, reply].toSorted((a, b) => a.title.localeCompare(b.title)));
            setEdited(undefined);
          }}
        />
      </Dialog>
    </>
  );
}

interface CannedReplyFormProps {
  readonly reply: CannedReply | undefined;
  readonly onSave: (reply: CannedReply) => void;
}

function CannedReplyForm({ reply, onSave }: CannedReplyFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { title = '', text = '' } = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    if (title.trim() !== '' && text.trim() !== '') onSave({ title: title.trim(), text: text.trim() });
  };
  return (
    <form className="grid gap-4" onSubmit={submit}>
      <Field label="Name">
        {(control) => <Input {...control} name="title" maxLength={60} required autoFocus defaultValue={reply?.title} />}
      </Field>
      <Field label="Text" help="{name} becomes the customer's first name. Kept in this browser.">
        {(control) => (
          <TextArea {...control} name="text" rows={5} maxLength={4_000} required defaultValue={reply?.text} />
        )}
      </Field>
      <Button type="submit" variant="primary" className="justify-self-end">
        Save
      </Button>
    </form>
  );
}
