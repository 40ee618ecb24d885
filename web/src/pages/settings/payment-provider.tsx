import type { PaymentKeyCheck, PaymentProviderAccount } from '@chowk/client';
import { useState } from 'react';
import { affectedBySettings } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useCan } from '../../api/use-api.ts';
import { useReturnFocus } from '../../form/return-focus.ts';
import { providerName } from '../../payments/provider-name.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { toast } from '../../ui/toast.tsx';
import { PaymentKeysForm } from './payment-keys-form.tsx';

interface PaymentProviderProps {
  readonly account: PaymentProviderAccount;
  /** No provider is used yet: this one is, once it has keys. */
  readonly isFirst: boolean;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
}

/** An account at a provider: whether it is used, and its keys. */
export function PaymentProvider({ account, isFirst, isOpen, onOpen, onClose }: PaymentProviderProps) {
  const { provider, is_configured, key_id } = account;
  const name = providerName(provider);
  const [check, setCheck] = useState<PaymentKeyCheck>();
  const button = useReturnFocus(isOpen);
  const canSetUp = useCan()('settings.api_clients');
  return (
    <section aria-label={name} className="grid gap-4 rounded-panel border border-line p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h3 className="font-semibold">{name}</h3>
        <State account={account} />
        {canSetUp && !isOpen && (
          <Button ref={button} className="ml-auto" onClick={onOpen}>
            {is_configured ? 'Change keys' : 'Set up'}
          </Button>
        )}
      </div>
      {check && !check.works && (
        <Notice tone="error">
          The keys are saved, but {name} does not accept them: {check.reason}
        </Notice>
      )}
      {isOpen ? (
        <PaymentKeysForm
          account={account}
          isFirst={isFirst}
          onChecked={(next) => {
            setCheck(next);
            if (next.works) onClose();
          }}
          onClose={onClose}
        />
      ) : (
        is_configured && (
          <>
            {key_id && (
              <p className="-mt-2 text-sm break-all text-secondary">
                Key id <code>{key_id}</code>
              </p>
            )}
            <AccountButtons account={account} onChecked={setCheck} />
          </>
        )
      )}
    </section>
  );
}

function State({ account: { is_configured, is_chosen, mode } }: { readonly account: PaymentProviderAccount }) {
  if (!is_configured) return <StatusPill>Not set up</StatusPill>;
  return (
    <>
      {is_chosen ? <StatusPill tone="success">In use</StatusPill> : <StatusPill>Not in use</StatusPill>}
      {mode === 'test' && <StatusPill tone="warning">Test mode</StatusPill>}
    </>
  );
}

interface AccountButtonsProps {
  readonly account: PaymentProviderAccount;
  readonly onChecked: (check: PaymentKeyCheck) => void;
}

function AccountButtons({ account: { provider, is_chosen }, onChecked }: AccountButtonsProps) {
  const can = useCan();
  const name = providerName(provider);
  const affects = [keys.payments.providers, ...affectedBySettings];
  const use = useAction((client, next: string) => client.settings.update({ 'payments.provider': next }), {
    affects,
    done: (_, next) => (next === 'none' ? 'No payment links are created any more.' : `${name} creates payment links.`),
  });
  const test = useAction((client) => client.payments.testProvider({ provider }), { affects: [] });
  return (
    <div className="flex flex-wrap gap-2">
      {can('settings.edit') && (
        <Button isBusy={use.isPending} onClick={() => use.mutate(is_chosen ? 'none' : provider)}>
          {is_chosen ? 'Stop using' : 'Use for payment links'}
        </Button>
      )}
      {can('settings.api_clients') && (
        <>
          <Button
            isBusy={test.isPending}
            onClick={() =>
              test.mutate(undefined, {
                onSuccess(check) {
                  onChecked(check);
                  if (check.works) toast(`${name} accepts the keys.`);
                },
              })
            }
          >
            Check keys
          </Button>
          <DeleteKeys provider={provider} />
        </>
      )}
    </div>
  );
}

function DeleteKeys({ provider }: Pick<PaymentProviderAccount, 'provider'>) {
  const [isAsking, setAsking] = useState(false);
  const name = providerName(provider);
  const remove = useAction((client) => client.payments.deleteProvider({ provider }), {
    affects: [keys.payments.providers],
    done: () => `Keys of ${name} deleted.`,
  });
  return (
    <>
      <Button variant="quiet" onClick={() => setAsking(true)}>
        Delete keys
      </Button>
      <ConfirmDialog
        title={`Delete the keys of ${name}?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Delete keys"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      >
        Links that are open can still be paid, but orders no longer show it. Cancel them first. To use {name} again, you
        need its keys again.
      </ConfirmDialog>
    </>
  );
}
