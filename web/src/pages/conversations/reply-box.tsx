import { type ConversationDetail, conversationsLimits } from '@chowk/client';
import { ChevronDown, Mail, SquarePen } from 'lucide-react';
import { useRef } from 'react';
import { useStored } from '../../session/stored.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { AttachButton, AttachedFiles, useAttachedFiles } from './attached-files.tsx';
import { CannedReplies } from './canned-replies.tsx';
import { useReportTyping } from './colleagues.tsx';
import { useFileDrop } from './file-drop.ts';
import { useMentions } from './mentions.tsx';
import { useSend } from './outbox.ts';
import { TemplateChoice } from './template-choice.tsx';
import { type FilledTemplate, isFilled, templateText } from './template-text.ts';
import { useTemplates } from './use-templates.ts';

const fieldId = 'reply';
const maxLength = conversationsLimits.reply.body;

interface Draft {
  readonly text: string;
  readonly isNote: boolean;
  readonly template?: FilledTemplate | undefined;
}

export function focusReply(): void {
  document.getElementById(fieldId)?.focus();
}

interface ReplyBoxProps {
  readonly conversation: ConversationDetail;
  /** Whether a colleague has the conversation open. */
  readonly isWatched: boolean;
}

/** A message to the customer or a note for the team. What is typed stays with the conversation until it is sent. */
export function ReplyBox({ conversation, isWatched }: ReplyBoxProps) {
  const { id, channel, customer, reply_delivery: delivery } = conversation;
  const [draft, setDraft] = useStored<Draft>(`reply.${id}`, { text: '', isNote: false });
  const { text, isNote } = draft;
  const { send } = useSend();
  const reportTyping = useReportTyping(id);
  const attached = useAttachedFiles();
  const field = useRef<HTMLTextAreaElement>(null);
  const change = (changes: Partial<Draft>) => {
    const next = { ...draft, ...changes };
    setDraft(next.text === '' && !next.isNote && !next.template ? undefined : next);
  };
  const mentions = useMentions({ field, text, isNote, onChange: (next) => change({ text: next }) });
  const needsTemplate = delivery.needs_template && !isNote;
  const templates = useTemplates(needsTemplate).data?.templates;
  const chosen = needsTemplate ? templates?.find((one) => one.id === draft.template?.id) : undefined;
  const template = chosen && draft.template;
  const isSent = delivery.is_sent || template !== undefined;
  const body = template ? templateText(chosen, template.variables) : text.trim();
  const hasContent = template ? isFilled(chosen, template.variables) : body !== '' || attached.files.length > 0;
  const isReady = hasContent && !attached.isUploading;
  // A template is sent without files.
  const files = template ? [] : attached.files;
  const attach = (added: readonly File[]) => {
    if (!template) void attached.add(added);
  };
  const isDropping = useFileDrop(attach) && !template;
  const submit = ({ isLogged = false } = {}) => {
    if (!isReady) return;
    const attachmentIds = files.map((file) => file.id);
    send({
      conversationId: id,
      direction: isNote ? 'note' : 'outbound',
      body,
      isLogged,
      attachmentIds,
      ...(template && !isLogged && { template }),
    });
    attached.clear();
    setDraft(undefined);
  };
  const insert = (reply: string) => {
    const { selectionStart = text.length, selectionEnd = text.length } = field.current ?? {};
    const filled = reply.replaceAll('{name}', customer?.first_name ?? '');
    change({ text: text.slice(0, selectionStart) + filled + text.slice(selectionEnd) });
    field.current?.focus();
  };
  return (
    <div className="@container border-t border-line px-4 py-3 md:px-6">
      {!isNote && !isSent && (
        <p className="flex gap-1.5 pb-2 text-sm text-warning">
          <Icon icon={SquarePen} className="mt-0.5 shrink-0" />
          <span>This reply will only be logged. {delivery.reason}</span>
        </p>
      )}
      {!isNote && delivery.notice !== null && (
        <p className="flex gap-1.5 pb-2 text-sm text-secondary">
          <Icon icon={Mail} className="mt-0.5 shrink-0" />
          <span>{delivery.notice}</span>
        </p>
      )}
      {needsTemplate && (
        <div className="pb-3">
          <TemplateChoice value={draft.template} onChange={(next) => change({ template: next })} />
        </div>
      )}
      <div
        className={`relative rounded-panel border focus-within:border-accent focus-within:outline-2 focus-within:outline-accent/25 ${isNote ? 'border-warning/50 bg-warning-tint' : 'border-edge/70 bg-surface'}`}
      >
        {isDropping && (
          <p className="absolute inset-0 grid place-items-center rounded-panel border-2 border-dashed border-accent bg-accent-tint font-medium text-accent-strong">
            Drop the files to attach them
          </p>
        )}
        <label htmlFor={fieldId} className="sr-only">
          {isNote ? 'Note for the team' : 'Reply'}
        </label>
        {mentions.list}
        <textarea
          {...mentions.fieldProps}
          hidden={template !== undefined}
          ref={field}
          id={fieldId}
          value={text}
          maxLength={maxLength}
          rows={2}
          placeholder={isNote ? 'A note that only the team sees' : 'Write a reply'}
          onChange={({ target }) => {
            change({ text: target.value });
            mentions.onTyped(target.selectionStart);
            if (isWatched || (channel === 'webchat' && !isNote)) reportTyping({ isNote });
          }}
          onPaste={(event) => {
            const files = [...event.clipboardData.files];
            if (files.length === 0) return;
            event.preventDefault();
            attach(files);
          }}
          onKeyDown={(event) => {
            if (mentions.onKey(event)) return event.preventDefault();
            if (event.key === 'Escape') event.currentTarget.blur();
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              submit();
            }
          }}
          className="field-sizing-content block max-h-56 min-h-16 w-full resize-none bg-transparent px-3 pt-2.5 outline-none placeholder:text-secondary max-md:text-lg"
        />
        <AttachedFiles files={files} isUploading={attached.isUploading} onRemove={attached.remove} />
        <div className="flex flex-wrap items-center gap-2 p-1.5">
          <fieldset className="flex">
            <legend className="sr-only">What to add</legend>
            {[false, true].map((one) => (
              <label
                key={String(one)}
                className="grid h-8 place-items-center rounded-control px-2.5 text-sm text-secondary has-checked:bg-text/8 has-checked:font-medium has-checked:text-text has-focus-visible:outline-2 has-focus-visible:outline-accent max-md:h-11"
              >
                <input
                  type="radio"
                  name="kind"
                  className="sr-only"
                  checked={isNote === one}
                  onChange={() => {
                    change({ isNote: one });
                    field.current?.focus();
                  }}
                />
                {one ? 'Note' : 'Reply'}
              </label>
            ))}
          </fieldset>
          {!template && (
            <>
              <CannedReplies onChoose={insert} />
              <AttachButton onChoose={attach} />
            </>
          )}
          <div className="ml-auto flex items-center gap-2">
            {!template && <span className="text-xs text-secondary @max-md:hidden">Ctrl Enter</span>}
            <Button variant="primary" disabled={!isReady} onClick={() => submit()}>
              {isNote ? 'Add note' : isSent ? 'Send' : 'Log reply'}
            </Button>
            {!isNote && isSent && (
              <Menu
                trigger={
                  <IconButton label="Other ways to add the reply" disabled={!isReady}>
                    <Icon icon={ChevronDown} />
                  </IconButton>
                }
              >
                <MenuItem icon={Mail} onSelect={() => submit()}>
                  Send
                </MenuItem>
                <MenuItem icon={SquarePen} onSelect={() => submit({ isLogged: true })}>
                  Log without sending
                </MenuItem>
              </Menu>
            )}
          </div>
        </div>
      </div>
    </div>
  );
}
