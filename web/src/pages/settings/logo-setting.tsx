import { ChowkError, type InvoiceLogo, invoicesLimits } from '@chowk/client';
import { ImagePlus } from 'lucide-react';
import { useRef, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { errorMessage } from '../../format/error-message.ts';
import { api } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';

const { types, maxBytes } = invoicesLimits.setLogo.file;

/** Changes are saved at once. */
export function LogoSetting({ logo }: { readonly logo: InvoiceLogo | null }) {
  const canEdit = useCan()('settings.edit');
  const { upload, isBusy, problem } = useUpload();
  const input = useRef<HTMLInputElement>(null);
  const remove = useAction((client) => client.invoices.deleteLogo(), {
    affects: [keys.invoices.logo],
    done: ({ message }) => message,
  });
  return (
    <div className="grid gap-3">
      {problem && <Notice tone="error">{problem}</Notice>}
      {logo ? (
        <img
          src={logo.url}
          alt="Logo on invoices"
          width={logo.width}
          height={logo.height}
          className="h-24 w-auto max-w-full justify-self-start rounded-control border border-line object-contain p-2"
          // As on paper, also in the dark theme.
          style={{ background: 'white' }}
        />
      ) : (
        <p className="text-secondary">No logo yet.</p>
      )}
      {canEdit && (
        <div className="flex flex-wrap gap-2">
          <input
            ref={input}
            type="file"
            aria-label="Logo"
            accept={types.join()}
            className="sr-only"
            tabIndex={-1}
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file) void upload(file);
              // The same file can be chosen again.
              target.value = '';
            }}
          />
          <Button isBusy={isBusy} onClick={() => input.current?.click()}>
            <Icon icon={ImagePlus} />
            {logo ? 'Replace logo' : 'Upload logo'}
          </Button>
          {logo && (
            <Button variant="quiet" isBusy={remove.isPending} onClick={() => remove.mutate(undefined)}>
              Remove
            </Button>
          )}
        </div>
      )}
      <p className="text-xs text-faint">JPEG, PNG or WebP, at most {maxBytes / 1_000_000} MB.</p>
    </div>
  );
}

function useUpload() {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const refetch = useRefetch();
  const upload = async (file: File) => {
    setBusy(true);
    setProblem(undefined);
    try {
      if (file.size > maxBytes) throw new Error(`${file.name} has more than ${maxBytes / 1_000_000} MB.`);
      toast((await api().invoices.setLogo({ file })).message);
      await refetch(keys.invoices.logo);
    } catch (error) {
      const [field] = error instanceof ChowkError ? Object.values(error.fields).flat() : [];
      setProblem(field?.message ?? errorMessage(error));
    } finally {
      setBusy(false);
    }
  };
  return { upload, isBusy, problem };
}
