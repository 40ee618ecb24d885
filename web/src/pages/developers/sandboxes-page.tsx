import type { Sandbox } from '@chowk/client';
import { CircleDashed, Plus, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useApi, useMe } from '../../api/use-api.ts';
import { relativeTime } from '../../time/relative-time.ts';
import { exactTime } from '../../time/times.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loading } from '../../ui/loading.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { DevelopersLayout } from './developers-layout.tsx';

const pollMs = 1_500;
const maxSandboxes = 3;

/** Tenants for tests, which send nothing. */
export function SandboxesPage() {
  const { data: me } = useMe();
  const tenant = me?.tenant_id ?? '';
  const { data, error } = useApi(
    keys.sandboxes,
    async (client) => (await client.sandboxes.list({ id: tenant })).sandboxes,
    tenant !== '' && !me?.is_sandbox,
  );
  useRefetchWhileFilling(data);
  const create = useAction((client) => client.sandboxes.create({ id: tenant }), {
    affects: [keys.sandboxes],
    done: ({ message }) => message,
  });
  const isFull = (data?.length ?? 0) >= maxSandboxes;
  const button = (
    <Button
      variant="primary"
      isBusy={create.isPending}
      disabled={!data || isFull}
      title={isFull ? `At most ${maxSandboxes}` : undefined}
      onClick={() => create.mutate(undefined)}
    >
      <Icon icon={Plus} strokeWidth={1.75} />
      Create a sandbox
    </Button>
  );
  return (
    <DevelopersLayout tab="/developers/sandboxes" actions={me?.is_sandbox ? undefined : button}>
      <div className="flex min-h-0 w-full max-w-3xl flex-1 flex-col gap-4 overflow-y-auto pt-4 pb-12 *:shrink-0">
        {me?.is_sandbox ? (
          <EmptyState icon={CircleDashed} title="This is a sandbox">
            Its mails, messages, webhooks and payments reach nobody. It has no sandboxes of its own.
          </EmptyState>
        ) : !data ? (
          <Loading error={error} className="h-24" />
        ) : data.length === 0 ? (
          <EmptyState icon={CircleDashed} title="No sandboxes yet">
            A sandbox is an organization for tests, with your settings, products, prices and taxes, and without
            customers and orders. Its mails, messages, webhooks and payments reach nobody.
          </EmptyState>
        ) : (
          <ul className="divide-y divide-line border-y border-line">
            {data.map((sandbox) => (
              <SandboxItem key={sandbox.id} tenant={tenant} sandbox={sandbox} />
            ))}
          </ul>
        )}
      </div>
    </DevelopersLayout>
  );
}

/** When one is ready, it is among the organizations of the user. */
function useRefetchWhileFilling(sandboxes: readonly Sandbox[] | undefined): void {
  const refetch = useRefetch();
  const filling = sandboxes?.filter(({ status }) => status === 'importing').length ?? 0;
  useEffect(() => {
    if (filling === 0) return;
    const timer = setInterval(() => void refetch(keys.sandboxes), pollMs);
    return () => {
      clearInterval(timer);
      void refetch(keys.me);
    };
  }, [filling, refetch]);
}

function SandboxItem({ tenant, sandbox }: { readonly tenant: string; readonly sandbox: Sandbox }) {
  const { id, name, status, created_at } = sandbox;
  const [isAsked, setAsked] = useState(false);
  const remove = useAction((client) => client.sandboxes.delete({ id: tenant, sandbox_id: id }), {
    affects: [keys.sandboxes, keys.me],
    done: ({ message }) => message,
  });
  const close = () => setAsked(false);
  return (
    <li className="flex items-center gap-3 py-3">
      <Icon icon={CircleDashed} size={20} className="shrink-0 text-secondary" />
      <div className="grid min-w-0 flex-1 gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2 font-medium wrap-anywhere">
          {name}
          {status === 'importing' && <StatusPill tone="info">Being filled</StatusPill>}
        </span>
        <span className="text-sm text-faint">
          <code className="text-xs break-all">{id}</code>
          {' · '}
          <span title={exactTime(created_at)}>created {relativeTime(created_at)}</span>
        </span>
        {status === 'active' && (
          <span className="text-sm text-secondary">
            Whoever created it, and those invited to it, find it in the list of organizations.
          </span>
        )}
      </div>
      {status !== 'importing' && (
        <IconButton label={`Delete ${name}`} onClick={() => setAsked(true)}>
          <Icon icon={Trash2} />
        </IconButton>
      )}
      <ConfirmDialog
        title="Delete this sandbox?"
        isOpen={isAsked}
        onClose={close}
        action="Delete sandbox"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: close })}
      >
        <strong className="font-medium wrap-anywhere text-text">{name}</strong> is deleted with all its data. This
        cannot be undone.
      </ConfirmDialog>
    </li>
  );
}
