import { type MessageProviders, notificationsLimits } from '@chowk/client';
import { useState } from 'react';
import { affectedByChannels } from '../../api/affected-keys.ts';
import { useAction, useRefetch } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { useForm } from '../../form/use-form.ts';
import { useKeys } from '../../keyboard/keys.ts';
import { api } from '../../session/session.ts';
import { exactTime } from '../../time/times.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { toast } from '../../ui/toast.tsx';
import { Copied } from './set-up-step.tsx';
import { type ProviderAccountProps, ProviderState } from './twilio-account.tsx';

/** A server of the organization, its address, and the secret that signs requests in both directions. */
export function OwnServer({ providers, isOpen, onOpen, onClose }: ProviderAccountProps) {
  const { webhook, webhook_callback_url } = providers;
  const [secret, setSecret] = useState<string>();
  const button = useReturnFocus(isOpen);
  const canSetUp = useCan()('customers.view_sensitive');
  if (isOpen && canSetUp) return <AddressForm webhook={webhook} onSecret={setSecret} onClose={onClose} />;
  return (
    <section aria-label="Your own server" className="grid gap-4">
      <div className="flex min-h-9 flex-wrap items-center gap-3">
        {webhook ? <ProviderState providers={providers} name="webhook" /> : <StatusPill>Not set up</StatusPill>}
        {canSetUp && (
          <Button ref={button} className="ml-auto" onClick={onOpen}>
            {webhook ? 'Change' : 'Set up a server'}
          </Button>
        )}
        {webhook && <DeleteServer />}
      </div>
      {!canSetUp && !webhook && (
        <p className="text-sm text-secondary">
          The server gets phone numbers and texts. To set it up you need the permission{' '}
          <code>customers.view_sensitive</code>.
        </p>
      )}
      {secret !== undefined && (
        <div className="grid gap-3 rounded-panel bg-warning-tint p-4">
          <p className="text-sm text-warning">Copy the secret now. It is not shown again.</p>
          <Copied label="Secret" text={secret} />
        </div>
      )}
      {webhook && (
        <>
          <p className="text-sm break-all">{webhook.url}</p>
          {webhook.previous_secret_expires_at !== null && secret === undefined && (
            <p className="text-sm text-secondary">
              The previous secret works until {exactTime(webhook.previous_secret_expires_at)}.
            </p>
          )}
          <div className="grid gap-2">
            <p className="text-sm text-secondary">Your server sends messages of customers and reports to:</p>
            <Copied label="Address" text={webhook_callback_url} />
          </div>
          <ReplaceSecret onSecret={setSecret} />
        </>
      )}
    </section>
  );
}

interface AddressFormProps {
  readonly webhook: MessageProviders['webhook'];
  readonly onSecret: (secret: string) => void;
  readonly onClose: () => void;
}

function AddressForm({ webhook, onSecret, onClose }: AddressFormProps) {
  const refetch = useRefetch();
  const form = useForm<{ readonly url: string }>(async ({ url }) => {
    const { secret } = await api().notifications.saveWebhook({ url: url.trim() });
    if (secret !== null) onSecret(secret);
    toast('Address of your server saved.');
    await refetch(...affectedByChannels);
    onClose();
  });
  useKeys([{ key: 'Escape', label: 'Stop editing', run: onClose }]);
  return (
    <form {...form.props} aria-label="Your own server" className="grid gap-4">
      {form.problem && <Notice tone="error">{form.problem}</Notice>}
      <Field
        label="Address of your server"
        help="It gets a POST request for each message, signed as Standard Webhooks describes."
        {...form.field('url')}
      >
        {(control) => (
          <Input
            {...control}
            type="url"
            defaultValue={webhook?.url}
            placeholder="https://sms.example.com/messages"
            maxLength={notificationsLimits.saveWebhook.url}
            autoComplete="off"
            spellCheck={false}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isBusy={form.isBusy}>
          Save address
        </Button>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function ReplaceSecret({ onSecret }: { readonly onSecret: (secret: string) => void }) {
  const replace = useAction((client) => client.notifications.rotateWebhookSecret(), {
    affects: affectedByChannels,
    done: () => 'Secret replaced. The previous one works for 24 hours.',
  });
  return (
    <Button
      className="justify-self-start"
      isBusy={replace.isPending}
      onClick={() => replace.mutate(undefined, { onSuccess: ({ secret }) => secret !== null && onSecret(secret) })}
    >
      Replace the secret
    </Button>
  );
}

function DeleteServer() {
  const [isAsking, setAsking] = useState(false);
  const remove = useAction((client) => client.notifications.deleteWebhook(), {
    affects: affectedByChannels,
    done: () => 'Your server gets no more messages.',
  });
  return (
    <>
      <Button variant="quiet" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <ConfirmDialog
        title="Delete your server?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Delete server"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        It gets no more messages, and what it sends is refused. Its secret is deleted too.
      </ConfirmDialog>
    </>
  );
}
