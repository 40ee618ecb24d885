import type { ApiClient } from '@chowk/client';
import { Ellipsis, History, KeyRound, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { api } from '../../session/session.ts';
import { relativeTime } from '../../time/relative-time.ts';
import { exactTime } from '../../time/times.ts';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { ConfirmForm } from '../account/confirm-form.tsx';
import { ClientRequests } from './client-requests.tsx';

interface ApiClientItemProps {
  readonly client: ApiClient;
  readonly onEdit: () => void;
  readonly onSecret: (secret: string) => void;
}

const shownScopes = 6;

export function ApiClientItem({ client, onEdit, onSecret }: ApiClientItemProps) {
  const { id, name, scopes, created_at, created_by, last_used_at, secret_expires_at } = client;
  const [asked, setAsked] = useState<'requests' | 'rotate' | 'delete'>();
  const refetch = useRefetch();
  const remove = useAction((api) => api.apiClients.delete({ id }), {
    affects: [keys.apiClients],
    done: () => `${name} deleted.`,
  });
  const rotate = async (confirmation: { readonly password?: string }) => {
    const { client_secret } = await api().apiClients.rotateSecret({ id, ...confirmation });
    setAsked(undefined);
    onSecret(client_secret);
    await refetch(keys.apiClients);
  };
  const close = () => setAsked(undefined);
  return (
    <li className="flex items-start gap-x-3 py-3">
      <Icon icon={KeyRound} size={20} className="mt-0.5 shrink-0 text-secondary" />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2 font-medium wrap-anywhere">
          {name}
          {secret_expires_at && <StatusPill tone="warning">Replace the secret</StatusPill>}
        </span>
        <span className="text-sm wrap-anywhere text-secondary" title={scopes.join(', ')}>
          {scopes.length === 0
            ? 'May do nothing: its maker no longer has its permissions.'
            : scopes.length > shownScopes
              ? `${scopes.slice(0, shownScopes).join(', ')} and ${scopes.length - shownScopes} more`
              : scopes.join(', ')}
        </span>
        <code className="text-xs break-all text-faint">{id}</code>
        <span className="text-sm text-faint">
          <span title={exactTime(created_at)}>
            Created {relativeTime(created_at)}
            {created_by && ` by ${created_by.name}`}
          </span>
          {' · '}
          {last_used_at === null ? (
            'never used'
          ) : (
            <span title={exactTime(last_used_at)}>last used {relativeTime(last_used_at)}</span>
          )}
        </span>
        {secret_expires_at && (
          <span className="text-sm text-warning">
            Somebody who has left may know the secret. It stops working {exactTime(secret_expires_at)}.
          </span>
        )}
      </div>
      <Menu
        trigger={
          <IconButton label={`Actions for ${name}`}>
            <Icon icon={Ellipsis} />
          </IconButton>
        }
      >
        <MenuItem icon={Pencil} onSelect={onEdit}>
          Edit
        </MenuItem>
        <MenuItem icon={History} onSelect={() => setAsked('requests')}>
          Requests
        </MenuItem>
        <MenuItem icon={RotateCcw} onSelect={() => setAsked('rotate')}>
          Replace the secret
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Trash2} onSelect={() => setAsked('delete')}>
          Delete
        </MenuItem>
      </Menu>
      <Dialog title={`Requests by ${name}`} isOpen={asked === 'requests'} onClose={close}>
        <ClientRequests
          queryKey={keys.clientRequests(id)}
          read={(client) => client.apiClients.requests({ id, per_page: 50 })}
        />
      </Dialog>
      <Dialog title="Replace the secret?" isOpen={asked === 'rotate'} onClose={close}>
        <ConfirmForm
          question={`The old secret of ${name} stops working at once. The new one is shown once.`}
          label="Replace the secret"
          onCancel={close}
          send={rotate}
        />
      </Dialog>
      <ConfirmDialog
        title="Delete this API client?"
        isOpen={asked === 'delete'}
        onClose={close}
        action="Delete API client"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: close })}
      >
        Programs that use <strong className="font-medium wrap-anywhere text-text">{name}</strong> are refused at once.
        This cannot be undone.
      </ConfirmDialog>
    </li>
  );
}
