import { ChowkError, createClient, onboardingLimits } from '@chowk/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, Upload } from 'lucide-react';
import { type DragEvent, useId, useState } from 'react';
import { fetchWithProgress } from '../../api/fetch-with-progress.ts';
import { keys } from '../../api/query-keys.ts';
import { errorMessage } from '../../format/error-message.ts';
import { Icon } from '../../ui/icon.tsx';

const { types, maxBytes } = onboardingLimits.uploadDocument.file;
const megabyte = 1024 * 1024;
const maxMegabytes = maxBytes / megabyte;

const labels: Readonly<Record<string, { readonly title: string; readonly help: string }>> = {
  government_id: { title: 'Government ID', help: 'Passport, driving license or another id with your photo.' },
  selfie: { title: 'Selfie', help: 'A photo of you, with your face well visible.' },
};

type DocumentType = Parameters<ReturnType<typeof createClient>['onboarding']['uploadDocument']>[0]['type'];

interface DocumentUploadProps {
  readonly applicationId: string;
  readonly uploadToken: string;
  readonly type: string;
  readonly isUploaded: boolean;
}

/** Sends a document as soon as it is chosen or dropped. */
export function DocumentUpload({ applicationId, uploadToken, type, isUploaded }: DocumentUploadProps) {
  const noteId = useId();
  const [share, setShare] = useState(0);
  const [isOver, setOver] = useState(false);
  const cache = useQueryClient();
  const upload = useMutation({
    mutationFn: async (file: File) => {
      setShare(0);
      checkFile(file);
      const client = createClient({ url: location.origin, fetch: fetchWithProgress(setShare) });
      const headers = { 'X-Upload-Token': uploadToken };
      return client.onboarding.uploadDocument({ id: applicationId, type: type as DocumentType, file }, { headers });
    },
    onSettled: () => cache.invalidateQueries({ queryKey: keys.ownApplication(applicationId) }),
  });
  const send = (file: File | undefined) => {
    if (file && !upload.isPending) upload.mutate(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    send(event.dataTransfer.files[0]);
  };
  const { title, help } = labels[type] ?? { title: type, help: '' };
  const icon = isUploaded ? CircleCheck : Upload;
  return (
    <li>
      <label
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={`grid min-h-24 cursor-pointer grid-cols-[auto_1fr_auto] items-center gap-x-4 gap-y-2 rounded-panel border border-dashed px-4 py-4 transition-colors hover:border-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent ${isOver ? 'border-accent bg-accent-tint' : 'border-edge bg-surface'}`}
      >
        <Icon icon={icon} size={20} className={isUploaded ? 'text-success' : 'text-secondary'} />
        <span className="min-w-0">
          <span className="block font-medium">{title}</span>
          <span className="block text-sm text-secondary">{isUploaded ? 'Received.' : help}</span>
        </span>
        <span className="text-sm font-medium text-accent">{isUploaded ? 'Replace' : 'Choose a file'}</span>
        <input
          type="file"
          accept={types.join()}
          aria-describedby={noteId}
          className="sr-only"
          onChange={({ target }) => {
            send(target.files?.[0]);
            // The same file can be chosen again.
            target.value = '';
          }}
        />
        {upload.isPending && <Progress share={share} label={`Sending: ${title}`} />}
      </label>
      <p id={noteId} role={upload.isError ? 'alert' : undefined} className={noteStyle(upload.isError)}>
        {upload.isError
          ? uploadError(upload.error)
          : `JPEG, PNG or PDF, at most ${maxMegabytes} MB. Drop it here or choose it.`}
      </p>
    </li>
  );
}

function noteStyle(isError: boolean): string {
  return `pt-1.5 text-xs ${isError ? 'text-error' : 'text-faint'}`;
}

/** Before anything is sent. The platform looks at the content too. */
function checkFile({ type, size, name }: File): void {
  if (!types.some((one) => one === type)) throw new Error(`${name} is not a JPEG, PNG or PDF file.`);
  if (size <= maxBytes) return;
  throw new Error(`${name} has ${(size / megabyte).toFixed(1)} MB. At most ${maxMegabytes} MB are accepted.`);
}

function uploadError(error: Error): string {
  const problems = error instanceof ChowkError ? Object.values(error.fields).flat() : [];
  return problems.length > 0 ? problems.map(({ message }) => message).join(' ') : errorMessage(error);
}

function Progress({ share, label }: { readonly share: number; readonly label: string }) {
  return (
    <span
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      className="col-span-3 block h-1.5 overflow-hidden rounded-full bg-line"
    >
      <span className="block h-full rounded-full bg-accent transition-[width]" style={{ width: `${share * 100}%` }} />
    </span>
  );
}
