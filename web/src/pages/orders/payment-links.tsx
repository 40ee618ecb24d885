import type { OrderDetails, PaymentLink } from '@chowk/client';
import { useState } from 'react';
import { affectedByOrder } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useAction } from '../../api/use-action.ts';
import { useApi } from '../../api/use-api.ts';
import { money } from '../../format/numbers.ts';
import { useLinkProvider } from '../../payments/payment-choices.ts';
import { ProviderHint } from '../../payments/provider-hint.tsx';
import { providerName } from '../../payments/provider-name.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { StatusPill, type Tone } from '../../ui/status-pill.tsx';

interface PaymentLinksProps {
  readonly order: OrderDetails;
  /** Whether something is due, and the user may ask for it. */
  readonly canCreate: boolean;
}

const shown = 5;

/** The newest links first. Without a payment provider there are none. */
export function PaymentLinks({ order, canCreate }: PaymentLinksProps) {
  const { id, due_total, currency } = order;
  const { data } = useApi(keys.orders.links(id), (client) => client.payments.listLinks({ id, per_page: shown }));
  const { provider, isKnown } = useLinkProvider();
  const links = data?.payment_links ?? [];
  const isAsked = links.some((link) => isLive(link) && link.amount === due_total);
  const create = useAction((client, _: undefined) => client.payments.createLink({ id }), {
    affects: [keys.orders.links(id)],
    done: () => 'Payment link ready to copy.',
  });
  const offersLink = canCreate && provider !== undefined && !isAsked;
  const needsProvider = canCreate && isKnown && !provider;
  if (links.length === 0 && !offersLink && !needsProvider) return null;
  return (
    <div className="grid gap-2">
      {links.map((link) => (
        <LinkRow
          key={link.id}
          order={order}
          link={link}
          canCancel={canCreate}
          onRetry={canCreate && provider ? () => create.mutate(undefined) : undefined}
          isRetrying={create.isPending}
        />
      ))}
      {offersLink && (
        <Button className="justify-self-start" isBusy={create.isPending} onClick={() => create.mutate(undefined)}>
          Create payment link for {money(due_total, currency)}
        </Button>
      )}
      {needsProvider && <ProviderHint purpose="to send payment links" />}
    </div>
  );
}

const states: Readonly<Record<PaymentLink['status'], readonly [tone: Tone, label: string]>> = {
  creating: ['info', 'Being created'],
  open: ['info', 'Open'],
  processing: ['info', 'Being paid'],
  paid: ['success', 'Paid'],
  expired: ['neutral', 'Expired'],
  cancelled: ['neutral', 'Cancelled'],
  failed: ['error', 'Failed'],
};

function isLive({ status, expires_at }: PaymentLink): boolean {
  return status === 'creating' || status === 'processing' || (status === 'open' && Date.parse(expires_at) > Date.now());
}

interface LinkRowProps {
  readonly order: OrderDetails;
  readonly link: PaymentLink;
  readonly canCancel: boolean;
  /** Asks the provider for this link again; for users who may. */
  readonly onRetry: (() => void) | undefined;
  readonly isRetrying: boolean;
}

function LinkRow({ order, link, canCancel, onRetry, isRetrying }: LinkRowProps) {
  const { id, provider, amount, currency, status, url, created_at, failure } = link;
  const [isAsking, setAsking] = useState(false);
  const isOpen = status === 'open' && isLive(link);
  const [tone, label] = status === 'open' && !isOpen ? states.expired : states[status];
  const cancel = useAction((client, _: undefined) => client.payments.cancelLink({ id: order.id, link: id }), {
    affects: affectedByOrder(order),
    done: () => 'Payment link cancelled.',
  });
  return (
    <div className="grid gap-2 rounded-control border border-line p-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">Link by {providerName(provider)}</span>
        <StatusPill tone={tone}>{label}</StatusPill>
        <span className="numeric ml-auto">{money(amount, currency)}</span>
      </div>
      {failure !== null && status !== 'paid' && <p className="text-xs break-words text-error">{failure}</p>}
      {isOpen && url !== null ? (
        <>
          <a href={url} target="_blank" rel="noreferrer" className="text-sm break-all text-accent hover:underline">
            {url}
          </a>
          <div className="flex flex-wrap gap-2">
            <CopyButton text={url} label="Copy link" />
            {canCancel && (
              <Button variant="quiet" onClick={() => setAsking(true)}>
                Cancel link
              </Button>
            )}
          </div>
          <ConfirmDialog
            title="Cancel payment link"
            isOpen={isAsking}
            onClose={() => setAsking(false)}
            action="Cancel link"
            isBusy={cancel.isPending}
            onConfirm={() => cancel.mutate(undefined, { onSettled: () => setAsking(false) })}
          >
            The customer can no longer pay {money(amount, currency)} with this link. You can create another one.
          </ConfirmDialog>
        </>
      ) : (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-secondary">
          <span>
            {status === 'creating' && `${providerName(provider)} has not answered. `}
            {status === 'creating' ? 'Asked' : 'Created'} <RelativeTime time={created_at} />
          </span>
          {status === 'creating' && onRetry && (
            <Button isBusy={isRetrying} onClick={onRetry}>
              Try again
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
