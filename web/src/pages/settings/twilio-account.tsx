import type { MessageProviders } from '@chowk/client';
import { useState } from 'react';
import { affectedByChannels } from '../../api/affected-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { Copied } from './set-up-step.tsx';
import { TwilioForm } from './twilio-form.tsx';

export interface ProviderAccountProps {
  readonly providers: MessageProviders;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

/** Whether a channel uses the provider. */
export function ProviderState({
  providers: { channels },
  name,
}: Pick<ProviderAccountProps, 'providers'> & { readonly name: 'twilio' | 'webhook' }) {
  return channels.some(({ provider }) => provider === name) ? (
    <StatusPill tone="success">In use</StatusPill>
  ) : (
    <StatusPill>Not in use</StatusPill>
  );
}

export function TwilioAccount({ providers, isOpen, onOpen, onClose }: ProviderAccountProps) {
  const { twilio, twilio_callback_url } = providers;
  const button = useReturnFocus(isOpen);
  if (isOpen) return <TwilioForm providers={providers} onClose={onClose} />;
  return (
    <section aria-label="Twilio" className="grid gap-4">
      <div className="flex min-h-9 flex-wrap items-center gap-3">
        {twilio ? <ProviderState providers={providers} name="twilio" /> : <StatusPill>Not set up</StatusPill>}
        <Button ref={button} className="ml-auto" onClick={onOpen}>
          {twilio ? 'Change' : 'Set up Twilio'}
        </Button>
        {twilio && <DeleteAccount />}
      </div>
      {twilio && (
        <>
          <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-y-1.5 text-sm">
            {[
              ['Account', twilio.account_sid],
              ['SMS from', twilio.sms_from],
              ['WhatsApp from', twilio.whatsapp_from],
            ].map(([label, value]) => (
              <div key={label} className="contents">
                <dt className="text-secondary">{label}</dt>
                <dd className="numeric break-all">{value ?? 'Not set'}</dd>
              </div>
            ))}
          </dl>
          <div className="grid gap-2">
            <p className="text-sm text-secondary">To be entered at Twilio for incoming messages of each sender:</p>
            <Copied label="Address" text={twilio_callback_url} />
          </div>
        </>
      )}
    </section>
  );
}

function DeleteAccount() {
  const [isAsking, setAsking] = useState(false);
  const remove = useAction((client) => client.notifications.deleteTwilio(), {
    affects: affectedByChannels,
    done: () => 'Twilio account deleted here.',
  });
  return (
    <>
      <Button variant="quiet" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <ConfirmDialog
        title="Delete the account at Twilio?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Delete account"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        Messages over Twilio are no longer sent, and those of customers are refused. The account itself stays at Twilio.
        To use it again, you need its auth token again.
      </ConfirmDialog>
    </>
  );
}
