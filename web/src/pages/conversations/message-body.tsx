import type { ConversationAttachment, ConversationMessage } from '@chowk/client';
import { Check, CheckCheck, CircleAlert, Clock, Paperclip, SquarePen, Zap } from 'lucide-react';
import { affectedByConversation } from '../../api/affected-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { errorMessage } from '../../format/error-message.ts';
import { fileSize } from '../../format/numbers.ts';
import { api } from '../../session/session.ts';
import { exactTime, timeOfDay } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { toast } from '../../ui/toast.tsx';
import { AttachedImage } from './attached-image.tsx';
import { FormattedMail } from './formatted-mail.tsx';
import { TextWithMentions } from './mentions.tsx';

/** The text of a message with its files, and what has become of it. */
export function MessageBody({ message }: { readonly message: ConversationMessage }) {
  const { body, direction, quoted, sent_at, has_html, is_automatic, attachments } = message;
  return (
    <>
      {body !== '' && (
        <p className="break-words whitespace-pre-wrap">
          <TextWithMentions message={message} />
        </p>
      )}
      {quoted !== null && (
        <details className="text-sm text-secondary">
          <summary className="w-fit cursor-pointer rounded-control">Quoted text and signature</summary>
          <p className="border-l-2 border-line pl-3 break-words whitespace-pre-wrap">{quoted}</p>
        </details>
      )}
      {has_html && <FormattedMail message={message} />}
      {attachments.length > 0 && (
        <ul className="grid gap-1 py-1">
          {attachments.map((attachment) => (
            <li key={attachment.id}>
              <AttachmentLink conversationId={message.conversation_id} attachment={attachment} />
            </li>
          ))}
        </ul>
      )}
      <p className="flex items-center justify-end gap-1.5 text-xs text-faint">
        {direction === 'inbound' && is_automatic && (
          <span className="flex items-center gap-1">
            <Icon icon={Zap} size={13} strokeWidth={2} />
            Sent automatically
          </span>
        )}
        <time dateTime={sent_at} title={exactTime(sent_at)}>
          {timeOfDay(sent_at)}
        </time>
        <DeliveryMark message={message} />
      </p>
    </>
  );
}

interface AttachmentLinkProps {
  readonly conversationId: string;
  readonly attachment: ConversationAttachment;
}

function AttachmentLink({ conversationId, attachment }: AttachmentLinkProps) {
  const { id, file_name, type, size, reason } = attachment;
  const name = (
    <>
      <Icon icon={Paperclip} size={14} />
      <span className="min-w-0 truncate">{file_name}</span>
      <span className="shrink-0 text-xs text-secondary">{fileSize(size)}</span>
    </>
  );
  if (reason !== null) {
    return (
      <span className="grid text-sm text-secondary">
        <span className="flex items-center gap-1.5">{name}</span>
        {reason}
      </span>
    );
  }
  // A link works for five minutes, so it is asked for when it is used.
  const open = async () => {
    try {
      location.assign((await api().conversations.linkAttachment({ id: conversationId, attachment: id })).url);
    } catch (error) {
      toast(errorMessage(error));
    }
  };
  return (
    <button
      type="button"
      className="grid max-w-full justify-items-start gap-1 rounded-control text-sm underline-offset-2 hover:underline"
      onClick={() => void open()}
    >
      {type.startsWith('image/') && <AttachedImage conversationId={conversationId} id={id} />}
      <span className="flex max-w-full items-center gap-1.5">{name}</span>
    </button>
  );
}

const marks = {
  queued: { icon: Clock, label: 'Waiting to be sent' },
  sent: { icon: Check, label: 'Sent' },
  delivered: { icon: CheckCheck, label: 'Delivered' },
  read: { icon: CheckCheck, label: 'Read' },
  logged: { icon: SquarePen, label: 'Only logged' },
  failed: { icon: CircleAlert, label: 'Not delivered' },
} as const;

function DeliveryMark({ message: { delivery_status, delivery_reason } }: { readonly message: ConversationMessage }) {
  if (delivery_status === null) return null;
  const { icon, label } = marks[delivery_status];
  const tone = { failed: 'font-medium text-error', read: 'text-accent' }[delivery_status as string] ?? '';
  return (
    <span className={`flex items-center gap-1 ${tone}`} title={delivery_reason ?? undefined}>
      <Icon icon={icon} size={13} strokeWidth={2} />
      {label}
    </span>
  );
}

/** Below a message that was not delivered: the reason and, if it has failed, another attempt. */
export function DeliveryProblem({ message }: { readonly message: ConversationMessage }) {
  const { id, conversation_id, delivery_status, delivery_reason } = message;
  const can = useCan();
  const retry = useAction((client) => client.conversations.retryMessage({ id: conversation_id, message: id }), {
    affects: affectedByConversation(conversation_id),
  });
  if (delivery_status === 'queued' && delivery_reason !== null) {
    return (
      <p className="max-w-[min(36rem,90%)] justify-self-end text-right text-sm text-secondary">{delivery_reason}</p>
    );
  }
  if (delivery_status !== 'failed') return null;
  return (
    <div className="grid justify-items-end gap-1">
      <span className="max-w-[min(36rem,90%)] text-right text-sm break-words text-error">{delivery_reason}</span>
      {can('conversations.reply') && (
        <Button isBusy={retry.isPending} onClick={() => retry.mutate(undefined)}>
          Try again
        </Button>
      )}
    </div>
  );
}
