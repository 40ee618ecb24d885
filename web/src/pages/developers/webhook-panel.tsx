import type { Webhook } from '@chowk/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Ellipsis, Pencil, RotateCcw, Trash2, Zap } from 'lucide-react';
import { useEffect, useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { DetailPanel } from '../../list/detail-panel.tsx';
import { useMemberName } from '../../people/member-name.ts';
import { api } from '../../session/session.ts';
import { exactTime } from '../../time/times.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { Deliveries } from './deliveries.tsx';
import { SecretOnce } from './secret-once.tsx';
import { hideSecret, showSecret, useShownSecret } from './shown-secret.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookStatus, webhookName } from './webhook-status.tsx';

const from = '/shell/developers/webhooks/$id';

export function WebhookPanel() {
  const { id } = useParams({ from });
  const { edit } = useSearch({ from });
  const navigate = useNavigate();
  const { data, error } = useApi(keys.webhooks.detail(id), (client) => client.webhooks.get({ id }));
  const secret = useShownSecret(id);
  useEffect(() => hideSecret, []);
  const webhook = data?.webhook;
  const show = (isEditing: boolean) =>
    void navigate({ to: '.', search: isEditing ? { edit: 'webhook' } : {}, replace: true });
  const close = () => navigate({ to: '/developers/webhooks' });
  return (
    <DetailPanel
      key={id}
      title={webhook && webhookName(webhook)}
      error={webhook ? null : error}
      onClose={close}
      actions={webhook && !edit && <Actions webhook={webhook} onEdit={() => show(true)} onDeleted={close} />}
    >
      {secret !== undefined && (
        <SecretOnce secret={secret} onDone={hideSecret}>
          Requests are signed with a secret.
        </SecretOnce>
      )}
      {webhook &&
        (edit ? (
          <EditWebhook webhook={webhook} onClose={() => show(false)} />
        ) : (
          <>
            <Summary webhook={webhook} />
            <Deliveries webhook={webhook} />
          </>
        ))}
    </DetailPanel>
  );
}

interface EditWebhookProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

function EditWebhook({ webhook, onClose }: EditWebhookProps) {
  const { id } = webhook;
  const refetch = useRefetch();
  return (
    <WebhookForm
      draft={`webhook.${id}`}
      webhook={webhook}
      action="Save"
      onCancel={onClose}
      send={async (input) => {
        await api().webhooks.update({ id, ...changedFields(webhook, input) });
        toast('Webhook saved.');
        onClose();
        await refetch(keys.webhooks.list, keys.webhooks.detail(id));
      }}
    />
  );
}

/** Saving the address or the events makes the user the one whose permissions count. */
function changedFields<Fields extends Pick<Webhook, 'url' | 'events' | 'description'>>(before: Webhook, after: Fields) {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Webhook]),
  );
  return Object.fromEntries(changed) as Partial<Pick<Webhook, 'url' | 'description'>> & { events?: string[] };
}

function useSwitch(webhook: Webhook) {
  const { id } = webhook;
  return useAction((client, is_active: boolean) => client.webhooks.update({ id, is_active }), {
    affects: [keys.webhooks.list, keys.webhooks.detail(id)],
    done: (_result, isOn) =>
      isOn ? `${webhookName(webhook)} gets events again.` : `${webhookName(webhook)} gets no more events.`,
  });
}

function Summary({ webhook }: { readonly webhook: Webhook }) {
  const memberName = useMemberName();
  const turn = useSwitch(webhook);
  const { url, events, disabled_at, is_active, saved_by, previous_secret_expires_at } = webhook;
  return (
    <div className="grid gap-4">
      {disabled_at && (
        <Notice tone="error">
          <p>
            Disabled {exactTime(disabled_at)}, because no delivery had succeeded for three days, or its server said that
            it is gone (410). The failed ones are below: mend the cause, then enable it again.
          </p>
          <Button className="mt-2" isBusy={turn.isPending} onClick={() => turn.mutate(true)}>
            Enable again
          </Button>
        </Notice>
      )}
      {!is_active && !disabled_at && (
        <Notice>
          <p>It is switched off and gets no events.</p>
          <Button className="mt-2" isBusy={turn.isPending} onClick={() => turn.mutate(true)}>
            Switch on
          </Button>
        </Notice>
      )}
      {previous_secret_expires_at && (
        <Notice>Requests are signed with the old secret too, until {exactTime(previous_secret_expires_at)}.</Notice>
      )}
      <dl className="grid grid-cols-[6rem_1fr] gap-y-2">
        <dt className="text-secondary">Status</dt>
        <dd>
          <WebhookStatus webhook={webhook} />
        </dd>
        <dt className="text-secondary">Address</dt>
        <dd className="min-w-0 break-all">{url}</dd>
        <dt className="text-secondary">Events</dt>
        <dd className="min-w-0 break-words">{events.includes('*') ? 'All events' : events.join(', ')}</dd>
        {memberName(saved_by) && (
          <>
            <dt className="text-secondary">Saved by</dt>
            <dd>
              <span className="inline-block first-letter:uppercase">{memberName(saved_by)}</span>
              <span className="text-secondary">, whose permissions decide which events it gets</span>
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}

interface ActionsProps {
  readonly webhook: Webhook;
  readonly onEdit: () => void;
  readonly onDeleted: () => Promise<void>;
}

function Actions({ webhook, onEdit, onDeleted }: ActionsProps) {
  const { id, is_active } = webhook;
  const can = useCan();
  const [asked, setAsked] = useState<'rotate' | 'delete'>();
  const close = () => setAsked(undefined);
  const turn = useSwitch(webhook);
  const test = useAction((client) => client.webhooks.test({ id }), {
    affects: [keys.webhooks.deliveries(id)],
    done: () => 'A test event is on its way.',
  });
  const rotate = useAction((client) => client.webhooks.rotateSecret({ id }), { affects: [keys.webhooks.detail(id)] });
  const remove = useAction((client) => client.webhooks.delete({ id }), {
    affects: [keys.webhooks.list],
    done: () => `${webhookName(webhook)} deleted.`,
    leave: onDeleted,
  });
  return (
    <>
      {is_active && (
        <Button isBusy={test.isPending} onClick={() => test.mutate(undefined)}>
          <Icon icon={Zap} />
          Send a test
        </Button>
      )}
      <Menu
        trigger={
          <IconButton label="More actions">
            <Icon icon={Ellipsis} />
          </IconButton>
        }
      >
        {can('customers.view_sensitive') && (
          <MenuItem icon={Pencil} onSelect={onEdit}>
            Edit
          </MenuItem>
        )}
        <MenuItem icon={RotateCcw} onSelect={() => setAsked('rotate')}>
          Replace the secret
        </MenuItem>
        {is_active && (
          <MenuItem icon={Zap} onSelect={() => turn.mutate(false)}>
            Switch off
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem icon={Trash2} onSelect={() => setAsked('delete')}>
          Delete
        </MenuItem>
      </Menu>
      <ConfirmDialog
        title="Replace the secret?"
        isOpen={asked === 'rotate'}
        onClose={close}
        action="Replace the secret"
        isBusy={rotate.isPending}
        onConfirm={() =>
          rotate.mutate(undefined, { onSuccess: ({ secret }) => showSecret(id, secret), onSettled: close })
        }
      >
        The new one is shown once. For 24 hours requests are signed with both, so that nothing is lost while you change
        it.
      </ConfirmDialog>
      <ConfirmDialog
        title="Delete this webhook?"
        isOpen={asked === 'delete'}
        onClose={close}
        action="Delete webhook"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: close })}
      >
        <strong className="font-medium wrap-anywhere text-text">{webhookName(webhook)}</strong> gets no more events, and
        its deliveries are deleted. This cannot be undone; to stop it for a while, switch it off instead.
      </ConfirmDialog>
    </>
  );
}
