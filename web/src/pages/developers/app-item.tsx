import type { App } from '@chowk/client';
import { Ellipsis, Pencil, RotateCcw, SquareTerminal, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { api } from '../../session/session.ts';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { ConfirmForm } from '../account/confirm-form.tsx';

interface AppItemProps {
  readonly app: App;
  readonly onEdit: () => void;
  readonly onSecret: (secret: string | null) => void;
}

export function AppItem({ app: { id, name, scopes, redirect_uris, has_secret }, onEdit, onSecret }: AppItemProps) {
  const [asked, setAsked] = useState<'rotate' | 'delete'>();
  const refetch = useRefetch();
  const remove = useAction((client) => client.apps.delete({ id }), {
    affects: [keys.apps.registered, keys.apps.grants],
    done: () => `${name} deleted.`,
  });
  const rotate = async (confirmation: { readonly password?: string }) => {
    const { client_secret } = await api().apps.rotateSecret({ id, ...confirmation });
    setAsked(undefined);
    onSecret(client_secret);
    await refetch(keys.apps.registered);
  };
  const close = () => setAsked(undefined);
  return (
    <li className="flex items-start gap-x-3 py-3">
      <Icon icon={SquareTerminal} size={20} className="mt-0.5 shrink-0 text-secondary" />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <span className="font-medium wrap-anywhere">{name}</span>
        <span className="text-sm wrap-anywhere text-secondary">{scopes.join(', ')}</span>
        <code className="text-xs break-all text-faint">{id}</code>
        <span className="text-sm break-all text-faint">{redirect_uris.join(' · ')}</span>
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
        {has_secret && (
          <MenuItem icon={RotateCcw} onSelect={() => setAsked('rotate')}>
            Replace the secret
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem icon={Trash2} onSelect={() => setAsked('delete')}>
          Delete
        </MenuItem>
      </Menu>
      <Dialog title="Replace the secret?" isOpen={asked === 'rotate'} onClose={close}>
        <ConfirmForm
          question={`The old secret of ${name} stops working at once. The new one is shown once.`}
          label="Replace the secret"
          onCancel={close}
          send={rotate}
        />
      </Dialog>
      <ConfirmDialog
        title="Delete this app?"
        isOpen={asked === 'delete'}
        onClose={close}
        action="Delete app"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: close })}
      >
        <strong className="font-medium wrap-anywhere text-text">{name}</strong> loses its access in all organizations at
        once. This cannot be undone.
      </ConfirmDialog>
    </li>
  );
}
