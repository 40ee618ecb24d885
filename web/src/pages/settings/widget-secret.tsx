import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';

const affects = [keys.widget.setup];

/** The secret with which the server of the shop signs who a visitor is. Shown once. */
export function WidgetSecret({ createdAt }: { readonly createdAt: string | null }) {
  const [question, setQuestion] = useState<'replace' | 'delete'>();
  const create = useAction((client) => client.widget.createIdentitySecret(), { affects });
  const remove = useAction((client) => client.widget.deleteIdentitySecret(), {
    affects,
    done: () => 'Secret deleted.',
  });
  const close = () => setQuestion(undefined);
  const confirm = async () => {
    const isDeleted = question === 'delete';
    await (isDeleted ? remove : create).mutateAsync(undefined).catch(() => {});
    if (isDeleted) create.reset();
    close();
  };
  return (
    <div className="grid gap-4">
      <p className="text-sm text-secondary">
        Sign a JSON Web Token with HS256 and this secret, with <code>sub</code>, <code>exp</code> and, if you have them,{' '}
        <code>email</code> and <code>name</code>, and put it into <code>data-identity</code> of the script.
      </p>
      {create.data && <NewSecret secret={create.data.secret} />}
      {createdAt !== null && !create.data && (
        <p className="text-sm">
          The secret was created <RelativeTime time={createdAt} />.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          isBusy={create.isPending}
          onClick={() => (createdAt === null ? create.mutate(undefined) : setQuestion('replace'))}
        >
          {createdAt === null ? 'Create secret' : 'Replace secret'}
        </Button>
        {createdAt !== null && (
          <Button variant="quiet" onClick={() => setQuestion('delete')}>
            Delete secret
          </Button>
        )}
      </div>
      <ConfirmDialog
        title={question === 'delete' ? 'Delete the secret?' : 'Replace the secret?'}
        isOpen={question !== undefined}
        onClose={close}
        action={question === 'delete' ? 'Delete secret' : 'Replace secret'}
        isBusy={create.isPending || remove.isPending}
        onConfirm={() => void confirm()}
      >
        Tokens that your server signs with the current secret are refused from then on.
      </ConfirmDialog>
    </div>
  );
}

function NewSecret({ secret }: { readonly secret: string }) {
  return (
    <Notice>
      <div className="grid gap-3">
        <p>Copy the secret now. It is not shown again.</p>
        <code className="text-xs break-all select-all">{secret}</code>
        <div>
          <CopyButton text={secret} label="Copy secret" />
        </div>
      </div>
    </Notice>
  );
}
