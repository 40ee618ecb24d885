import { ChowkError, type ConversationAttachment, conversationsLimits } from '@chowk/client';
import { Paperclip, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { errorMessage } from '../../format/error-message.ts';
import { fileSize } from '../../format/numbers.ts';
import { api } from '../../session/session.ts';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { toast } from '../../ui/toast.tsx';
import { previewImage } from './image-preview.ts';

const { types, maxBytes } = conversationsLimits.uploadAttachment.file;
const allowed: readonly string[] = types;
const maxFiles = conversationsLimits.reply.attachment_ids;

type AttachedFile = ConversationAttachment & { readonly preview: string | undefined };

/** Files that are uploaded while the message is being written. */
export function useAttachedFiles() {
  const [files, setFiles] = useState<readonly AttachedFile[]>([]);
  const [pending, setPending] = useState(0);
  async function upload(file: File): Promise<void> {
    setPending((count) => count + 1);
    try {
      const [{ attachment }, preview] = await Promise.all([
        api().conversations.uploadAttachment({ file }),
        previewImage(file),
      ]);
      setFiles((all) => [...all, { ...attachment, preview }]);
    } catch (error) {
      toast(`${file.name}: ${describe(error)}`);
    } finally {
      setPending((count) => count - 1);
    }
  }
  return {
    files,
    isUploading: pending > 0,
    add: async (chosen: readonly File[]) => {
      const room = maxFiles - files.length;
      if (chosen.length > room) toast(`A message has at most ${maxFiles} files.`);
      for (const file of chosen.slice(0, room)) {
        if (!allowed.includes(file.type)) toast(`${file.name}: only JPEG, PNG, WebP and PDF files can be attached.`);
        else if (file.size > maxBytes) toast(`${file.name} is larger than ${fileSize(maxBytes)}.`);
        else await upload(file);
      }
    },
    remove: (id: string) => setFiles((all) => all.filter((one) => one.id !== id)),
    clear: () => setFiles([]),
  };
}

function describe(error: unknown): string {
  const problems = error instanceof ChowkError ? Object.values(error.fields).flat() : [];
  return problems[0]?.message ?? errorMessage(error);
}

export function AttachButton({ onChoose }: { readonly onChoose: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={types.join()}
        aria-label="Files to attach"
        onChange={({ target }) => {
          onChoose([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <IconButton label="Attach files" onClick={() => input.current?.click()}>
        <Icon icon={Paperclip} />
      </IconButton>
    </>
  );
}

interface AttachedFilesProps {
  readonly files: readonly AttachedFile[];
  readonly isUploading: boolean;
  readonly onRemove: (id: string) => void;
}

export function AttachedFiles({ files, isUploading, onRemove }: AttachedFilesProps) {
  if (files.length === 0 && !isUploading) return null;
  return (
    <ul aria-label="Attached files" className="flex flex-wrap gap-2 px-3 pb-1">
      {files.map(({ id, file_name, size, preview }) => (
        <li key={id} className="flex max-w-64 items-center gap-1.5 rounded-control bg-sunken pl-2 text-sm">
          {preview !== undefined && (
            <img src={preview} alt="" className="-ml-1 size-10 shrink-0 rounded-control object-cover" />
          )}
          <span className="min-w-0 truncate">{file_name}</span>
          <span className="shrink-0 text-xs text-secondary">{fileSize(size)}</span>
          <IconButton label={`Remove ${file_name}`} onClick={() => onRemove(id)}>
            <Icon icon={X} size={14} />
          </IconButton>
        </li>
      ))}
      {isUploading && (
        <li role="status" className="py-1.5 text-sm text-secondary">
          Uploading…
        </li>
      )}
    </ul>
  );
}
